use std::panic;
fn main() {
    let mut ok = 0;
    let mut bad = std::collections::BTreeMap::<String, Vec<String>>::new();
    panic::set_hook(Box::new(|_| {}));
    let filter: Vec<String> = std::env::args().skip(1).collect();
    for dir in &filter {
        let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        for f in files {
            let text = String::from_utf8_lossy(&std::fs::read(&f).unwrap()).into_owned();
            for found in ntv::text::parse(&text) {
                let r = panic::catch_unwind(|| {
                    let mut s = found.shader.map_err(|e| format!("parse: {e}"))?;
                    let mut t = ntv::Translator::default();
                    let m = t.translate(&mut s, &ntv::EmitOptions::default()).map_err(|e| format!("{e}"))?;
                    let out = format!(
                        "/tmp/out/{}_{}.{}.spv",
                        dir.rsplit('/').take(2).collect::<Vec<_>>().join("_"),
                        f.file_name().unwrap().to_string_lossy(),
                        found.line
                    );
                    std::fs::write(out, m.words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
                    Ok::<_, String>(m.words.len())
                });
                let msg = match r {
                    Ok(Ok(_)) => {
                        ok += 1;
                        continue;
                    }
                    Ok(Err(e)) => e,
                    Err(p) => format!(
                        "PANIC {}",
                        p.downcast_ref::<String>()
                            .cloned()
                            .or(p.downcast_ref::<&str>().map(|s| s.to_string()))
                            .unwrap_or_default()
                    ),
                };
                let first = msg.lines().next().unwrap_or("").to_string();
                let key: String = first.chars().map(|c| if c.is_ascii_digit() { 'N' } else { c }).collect();
                bad.entry(key).or_default().push(format!(
                    "{}: {}",
                    f.file_name().unwrap().to_string_lossy(),
                    msg.lines().take(3).collect::<Vec<_>>().join(" | ")
                ));
            }
        }
    }
    println!("ok {ok}");
    let mut v: Vec<_> = bad.into_iter().collect();
    v.sort_by_key(|(_, l)| std::cmp::Reverse(l.len()));
    for (_, l) in v.iter().take(60) {
        println!("{:5} {}", l.len(), l[0].chars().take(400).collect::<String>());
    }
}
