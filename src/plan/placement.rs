// SPDX-License-Identifier: MIT

//! The storage classes of the blocks of one stage, for the passes.

use std::fmt;
use std::str::FromStr;

/// The storage class of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// A uniform buffer.
    #[default]
    Uniform,
    /// A storage buffer that is never written.
    Storage,
    /// Push constants from this byte on.
    PushConstant {
        /// Bytes from the start of the push constants; a multiple of 16.
        offset: u32,
    },
}

impl Class {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Class::Uniform => "Uniform",
            Class::Storage => "Storage",
            Class::PushConstant { .. } => "PushConstant",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Class::PushConstant { offset } => write!(f, "{}@{offset}", self.name()),
            _ => f.write_str(self.name()),
        }
    }
}

impl FromStr for Class {
    type Err = String;

    fn from_str(text: &str) -> Result<Class, String> {
        match text.split_once('@').unwrap_or((text, "")) {
            ("Uniform", "") => Ok(Class::Uniform),
            ("Storage", "") => Ok(Class::Storage),
            ("PushConstant", offset) => Ok(Class::PushConstant { offset: number(offset)? }),
            _ => Err(format!("`{text}` is not a class: Uniform, Storage, PushConstant@OFFSET")),
        }
    }
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

/// The placement of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Its class.
    pub class: Class,
    /// The most bytes of it that are ever bound; 0: the most that the device allows.
    pub range: u32,
    /// Storage: the shader keeps dynamic offsets within the bound range, as the device does not. The bound range then has a
    /// multiple of 16 bytes.
    pub clamp: bool,
}

/// The placements of a stage's blocks, by the stage's own numbers. Blocks without a placement are uniform buffers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placements {
    /// Sorted by number.
    list: Vec<(u32, Placement)>,
}

impl Placements {
    /// Whether all blocks are uniform buffers.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Removes all placements.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Sets the placement of block `block`.
    pub fn set(&mut self, block: u32, placement: Placement) {
        match self.list.binary_search_by_key(&block, |row| row.0) {
            Ok(at) => self.list[at].1 = placement,
            Err(at) => self.list.insert(at, (block, placement)),
        }
    }

    /// The placement of block `block`.
    pub fn of(&self, block: u32) -> Placement {
        let at = self.list.binary_search_by_key(&block, |row| row.0);
        at.map_or_else(|_| Placement::default(), |at| self.list[at].1)
    }

    /// The placement of `count` blocks from `first` on, which are one array: storage if one of them is in storage, with the
    /// strictest requirements of all.
    pub fn of_array(&self, first: u32, count: u32) -> Placement {
        let within = |row: &&(u32, Placement)| row.0 >= first && row.0 - first < count;
        let stored = self.list.iter().filter(within).filter(|row| row.1.class == Class::Storage);
        let range_of = |placement: &Placement| if placement.range == 0 { u32::MAX } else { placement.range };
        let both = |all: Option<Placement>, row: &(u32, Placement)| {
            let all = all.unwrap_or(row.1);
            let range = range_of(&all).max(range_of(&row.1));
            Some(Placement { class: Class::Storage, range, clamp: all.clamp | row.1.clamp })
        };
        stored.fold(None, both).unwrap_or_default()
    }

    /// The most bytes of one of `count` blocks from `first` on, if a uniform buffer has at most `uniform`.
    pub fn most_bytes(&self, (first, count): (u32, u32), uniform: u32) -> u32 {
        match self.of_array(first, count) {
            Placement { class: Class::Storage, range: 0, .. } => u32::MAX,
            Placement { class: Class::Storage, range, .. } => range,
            _ => uniform,
        }
    }

    /// Whether some block is of class `Storage`.
    pub fn has_storage(&self) -> bool {
        self.list.iter().any(|row| row.1.class == Class::Storage)
    }

    /// Whether some block is in push constants.
    pub fn has_push_constants(&self) -> bool {
        self.list.iter().any(|row| matches!(row.1.class, Class::PushConstant { .. }))
    }

    /// The number and placement of each block.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Placement)> + '_ {
        self.list.iter().copied()
    }
}

/// The placement of one block as a text: `1=Storage`, `1=Storage:clamp`, `2=Storage:80000`, `3=PushConstant@16:32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPlacement {
    /// The stage's number of the block.
    pub block: u32,
    /// Its placement.
    pub placement: Placement,
}

impl fmt::Display for BlockPlacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Placement { class, range, clamp } = self.placement;
        write!(f, "{}={class}", self.block)?;
        if range != 0 {
            write!(f, ":{range}")?;
        }
        f.write_str(if clamp { ":clamp" } else { "" })
    }
}

impl FromStr for BlockPlacement {
    type Err = String;

    fn from_str(text: &str) -> Result<BlockPlacement, String> {
        let (block, rest) = text.split_once('=').ok_or("there is no class: BLOCK=CLASS")?;
        let block = number(block)?;
        let mut parts = rest.split(':');
        let class = parts.next().unwrap_or_default().parse()?;
        let mut placement = Placement { class, ..Placement::default() };
        for part in parts {
            match part {
                "clamp" => placement.clamp = true,
                bytes => placement.range = number(bytes)?,
            }
        }
        Ok(BlockPlacement { block, placement })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_they_are_written() {
        for text in ["1=Storage", "1=Storage:clamp", "2=Storage:80000", "3=PushConstant@16:32", "0=Uniform"] {
            assert_eq!(text.parse::<BlockPlacement>().map(|place| place.to_string()), Ok(text.to_string()));
        }
        for wrong in ["", "1", "x=Storage", "1=storage", "1=PushConstant@", "1=Storage:x"] {
            assert!(wrong.parse::<BlockPlacement>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_array_is_in_storage_if_one_of_its_blocks_is() {
        let mut placements = Placements::default();
        placements.set(3, Placement { class: Class::Storage, range: 64, clamp: false });
        placements.set(5, Placement { class: Class::Storage, range: 0, clamp: true });
        placements.set(1, Placement { class: Class::PushConstant { offset: 0 }, range: 16, clamp: false });
        assert_eq!(placements.of_array(0, 3), Placement::default());
        assert_eq!(placements.of_array(2, 2).range, 64);
        assert_eq!(placements.of_array(2, 9), Placement { class: Class::Storage, range: u32::MAX, clamp: true });
        assert_eq!(placements.of(1).class, Class::PushConstant { offset: 0 });
        assert_eq!(placements.most_bytes((0, 3), 65536), 65536);
        assert_eq!(placements.most_bytes((3, 1), 65536), 64);
        assert_eq!(placements.most_bytes((5, 1), 65536), u32::MAX);
    }
}
