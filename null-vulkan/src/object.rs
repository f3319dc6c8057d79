// SPDX-License-Identifier: MIT

//! The objects of a world: handles, the data of each object, and counts.
//!
//! A handle of a non-dispatchable object is a number: the world's number (16 bits), a generation (16 bits) and the slot's number
//! plus one (32 bits). The generation increases when the object is destroyed, so an old handle is detected. Free slots are reused
//! in order of their release, so that this detection is reliable.

use ash::vk;
use ash::vk::Handle;
use std::any::Any;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// The data of an object, by the type of its handle.
pub(crate) trait Object: Handle + Copy {
    type Data: Send + Sync + 'static;
}

/// The name of an object in the log.
pub(crate) enum Content {
    /// The order of creation among the objects of its type.
    Order,
    /// The hash of its create info.
    Hash(u64),
}

/// The state of an object.
struct Slot {
    generation: u16,
    kind: vk::ObjectType,
    /// A debug name, if it has one.
    name: Option<String>,
    content: u64,
    /// The number of incomplete submissions that use it.
    pending: u32,
    /// `None` if the object was destroyed.
    data: Option<Box<dyn Any + Send + Sync>>,
}

/// All objects of a world that are not dispatchable.
pub(crate) struct Objects {
    world: u16,
    slots: Vec<Slot>,
    free: VecDeque<u32>,
    /// By the index of the type, see `place`.
    made: [Count; TYPES],
    /// The descriptions of log numbers that represent objects, if the number itself has none.
    described: HashMap<u64, String>,
}

/// The numbers of created and destroyed objects of a type.
#[derive(Clone, Copy, Default)]
pub(crate) struct Count {
    pub(crate) made: u64,
    pub(crate) destroyed: u64,
}

/// The reason why a handle is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadHandle {
    Null,
    Foreign,
    Destroyed,
    Type,
}

impl BadHandle {
    pub(crate) fn text(self) -> &'static str {
        match self {
            BadHandle::Null => "a null handle",
            BadHandle::Foreign => "a handle that is not of this world",
            BadHandle::Destroyed => "the handle of a destroyed object",
            BadHandle::Type => "the handle of an object of another type",
        }
    }
}

impl Objects {
    pub(crate) fn new(world: u16) -> Objects {
        Objects {
            world,
            slots: Vec::new(),
            free: VecDeque::new(),
            made: [Count::default(); TYPES],
            described: HashMap::new(),
        }
    }

    /// Creates an object.
    pub(crate) fn add<T: Object>(&mut self, content: Content, data: T::Data) -> T {
        let order = self.count_made(T::TYPE);
        let content = match content {
            Content::Order => order_number(T::TYPE, order),
            Content::Hash(hash) => {
                self.described.entry(hash).or_insert_with(|| format!("{:?} {hash:#x}", T::TYPE));
                hash
            }
        };
        // Free slots are not reused immediately: an old handle must not refer to a new object soon.
        let index = match self.free.len() > 1024 {
            true => self.free.pop_front().unwrap_or_default() as usize,
            false => {
                let data = None;
                self.slots.push(Slot { generation: 0, kind: T::TYPE, name: None, content, pending: 0, data });
                self.slots.len() - 1
            }
        };
        let slot = &mut self.slots[index];
        (slot.kind, slot.name, slot.content, slot.pending) = (T::TYPE, None, content, 0);
        slot.data = Some(Box::new(data));
        T::from_raw(u64::from(self.world) << 48 | u64::from(slot.generation) << 32 | (index as u64 + 1))
    }

    /// Counts a created object, and returns its number among those of its type.
    pub(crate) fn count_made(&mut self, kind: vk::ObjectType) -> u64 {
        let count = &mut self.made[place(kind)];
        count.made += 1;
        count.made - 1
    }

    /// Counts a destroyed object.
    pub(crate) fn count_destroyed(&mut self, kind: vk::ObjectType) {
        self.made[place(kind)].destroyed += 1;
    }

    fn slot(&self, kind: vk::ObjectType, raw: u64) -> Result<usize, BadHandle> {
        if raw == 0 {
            return Err(BadHandle::Null);
        }
        let index = (raw as u32).wrapping_sub(1) as usize;
        let slot = self.slots.get(index).filter(|_| (raw >> 48) as u16 == self.world).ok_or(BadHandle::Foreign)?;
        if slot.generation != (raw >> 32) as u16 || slot.data.is_none() {
            return Err(BadHandle::Destroyed);
        }
        if slot.kind != kind {
            return Err(BadHandle::Type);
        }
        Ok(index)
    }

    /// The data of `handle`.
    pub(crate) fn get<T: Object>(&self, handle: T) -> Result<&T::Data, BadHandle> {
        let index = self.slot(T::TYPE, handle.as_raw())?;
        let data = self.slots[index].data.as_ref().and_then(|data| data.downcast_ref());
        data.ok_or(BadHandle::Type)
    }

    /// The data of `handle`, for changes.
    pub(crate) fn get_mut<T: Object>(&mut self, handle: T) -> Result<&mut T::Data, BadHandle> {
        let index = self.slot(T::TYPE, handle.as_raw())?;
        let data = self.slots[index].data.as_mut().and_then(|data| data.downcast_mut());
        data.ok_or(BadHandle::Type)
    }

    /// Destroys `handle`; returns its data and the number of submissions that still use it.
    pub(crate) fn remove<T: Object>(&mut self, handle: T) -> Result<(Box<T::Data>, u32), BadHandle> {
        let index = self.slot(T::TYPE, handle.as_raw())?;
        let slot = &mut self.slots[index];
        let data = slot.data.take().and_then(|data| data.downcast().ok()).ok_or(BadHandle::Type)?;
        slot.generation = slot.generation.wrapping_add(1);
        let pending = slot.pending;
        self.free.push_back(index as u32);
        self.count_destroyed(T::TYPE);
        Ok((data, pending))
    }

    /// The number that represents `handle` in the log: from its debug name, or from its content.
    pub(crate) fn content(&self, kind: vk::ObjectType, raw: u64) -> Result<u64, BadHandle> {
        let slot = &self.slots[self.slot(kind, raw)?];
        Ok(slot.name.as_deref().map_or(slot.content, |name| name_number(kind, name)))
    }

    /// Sets or removes the debug name of `raw`.
    pub(crate) fn set_name(&mut self, kind: vk::ObjectType, raw: u64, name: Option<String>) -> Result<(), BadHandle> {
        let index = self.slot(kind, raw)?;
        if let Some(name) = &name {
            self.described.insert(name_number(kind, name), format!("{kind:?} '{name}'"));
        }
        self.slots[index].name = name;
        Ok(())
    }

    /// The debug name of `raw`.
    pub(crate) fn name(&self, kind: vk::ObjectType, raw: u64) -> Option<&str> {
        self.slot(kind, raw).ok().and_then(|index| self.slots[index].name.as_deref())
    }

    /// Counts one more or one fewer incomplete submission that uses `raw`; fails if it is not alive.
    pub(crate) fn use_in_submission(&mut self, kind: vk::ObjectType, raw: u64, begins: bool) -> Result<(), BadHandle> {
        let index = self.slot(kind, raw)?;
        let pending = &mut self.slots[index].pending;
        *pending = if begins { *pending + 1 } else { pending.saturating_sub(1) };
        Ok(())
    }

    /// The description of a number of the log.
    pub(crate) fn describe(&self, number: u64) -> String {
        if let Some(text) = self.described.get(&number) {
            return text.clone();
        }
        match order_of(number) {
            Some((kind, order)) => format!("{kind:?} {order}"),
            None => format!("{number:#018x}"),
        }
    }

    /// The counts of created and destroyed objects, of types with any.
    pub(crate) fn counts(&self) -> BTreeMap<vk::ObjectType, Count> {
        let counts = self.made.iter().enumerate().map(|(place, count)| (type_at(place), *count));
        counts.filter(|(_, count)| count.made > 0).collect()
    }
}

/// Types after those of Vulkan 1.0, which are indexed by their numbers.
const LATER: [vk::ObjectType; 3] =
    [vk::ObjectType::DESCRIPTOR_UPDATE_TEMPLATE, vk::ObjectType::DEBUG_UTILS_MESSENGER_EXT, vk::ObjectType::UNKNOWN];
const FIRST: usize = vk::ObjectType::COMMAND_POOL.as_raw() as usize + 1;
const TYPES: usize = FIRST + LATER.len();

fn place(kind: vk::ObjectType) -> usize {
    let later = || LATER.iter().position(|later| *later == kind).unwrap_or(LATER.len() - 1);
    usize::try_from(kind.as_raw()).ok().filter(|raw| *raw < FIRST).unwrap_or_else(|| FIRST + later())
}

fn type_at(place: usize) -> vk::ObjectType {
    LATER.get(place.wrapping_sub(FIRST)).copied().unwrap_or(vk::ObjectType::from_raw(place as i32))
}

/// Numbers by order are marked in their highest byte, which is 0 in hashes. The type and the order are below it.
const ORDER: u64 = 0xff << 56;

fn order_number(kind: vk::ObjectType, order: u64) -> u64 {
    ORDER | (kind.as_raw() as u64) << 24 | order & 0xff_ffff
}

fn order_of(number: u64) -> Option<(vk::ObjectType, u64)> {
    let kind = vk::ObjectType::from_raw((number >> 24) as i32);
    (number & ORDER == ORDER).then_some((kind, number & 0xff_ffff))
}

fn name_number(kind: vk::ObjectType, name: &str) -> u64 {
    let words = name.bytes().map(u64::from);
    hash(std::iter::once(kind.as_raw() as u64).chain(words))
}

/// A hash of words that is the same in every run.
pub(crate) fn hash(words: impl IntoIterator<Item = u64>) -> u64 {
    let mix = |state: u64, word: u64| {
        let state = (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (state ^ state >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ state >> 32
    };
    words.into_iter().fold(0x6e74_765f_6e75_6c6c, mix) >> 8
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Object for vk::CuModuleNVX {
        type Data = u32;
    }

    impl Object for vk::CuFunctionNVX {
        type Data = u32;
    }

    #[test]
    fn old_foreign_and_mistyped_handles_are_detected() {
        let (mut objects, mut others) = (Objects::new(1), Objects::new(2));
        let handle: vk::CuModuleNVX = objects.add(Content::Order, 7);
        let other: vk::CuModuleNVX = others.add(Content::Order, 8);
        assert_eq!(objects.get(handle), Ok(&7));
        assert_eq!(objects.get(other), Err(BadHandle::Foreign));
        assert_eq!(objects.get(vk::CuModuleNVX::null()), Err(BadHandle::Null));
        assert_eq!(objects.get(vk::CuFunctionNVX::from_raw(handle.as_raw())), Err(BadHandle::Type));
        assert!(objects.remove(handle).is_ok());
        assert_eq!(objects.get(handle), Err(BadHandle::Destroyed));
        for i in 0..5000 {
            let next: vk::CuModuleNVX = objects.add(Content::Order, i);
            assert_ne!(next, handle);
            assert!(objects.remove(next).is_ok());
        }
        assert_eq!(objects.get(handle), Err(BadHandle::Destroyed));
        assert!(objects.slots.len() < 2000);
    }

    #[test]
    fn names_come_before_order() {
        let mut objects = Objects::new(1);
        let a: vk::CuModuleNVX = objects.add(Content::Order, 0);
        let b: vk::CuModuleNVX = objects.add(Content::Order, 0);
        let number =
            |objects: &Objects, handle: vk::CuModuleNVX| objects.content(vk::CuModuleNVX::TYPE, handle.as_raw());
        assert_ne!(number(&objects, a), number(&objects, b));
        assert_eq!(objects.describe(number(&objects, b).unwrap()), format!("{:?} 1", vk::CuModuleNVX::TYPE));
        for handle in [a, b] {
            objects.set_name(vk::CuModuleNVX::TYPE, handle.as_raw(), Some("same".into())).unwrap();
        }
        assert_eq!(number(&objects, a), number(&objects, b));
    }
}
