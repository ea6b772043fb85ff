//! `zinspect serve` on loopback: answers, limits, bad clients, socket activation. Loads are bounded in number and time.
#![cfg(feature = "serve")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

const HOST: &str = "tests/hosts/vm-7.3.tar.gz";
const PATIENCE: Duration = Duration::from_secs(20);

/// A server of its own, ended with the test.
struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    fn start(more: &[&str]) -> Self {
        Self::of(&["--snapshot", HOST], more).0
    }

    /// A server of some host, and its stderr after the address.
    fn of(host: &[&str], more: &[&str]) -> (Self, BufReader<ChildStderr>) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_zinspect"))
            .args(host)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(more)
            .stderr(Stdio::piped())
            .spawn()
            .expect("run zinspect");
        let mut said = String::new();
        let stderr = child.stderr.take().expect("stderr");
        let mut stderr = BufReader::new(stderr);
        stderr.read_line(&mut said).expect("a line");
        let address = said
            .split("http://")
            .nth(1)
            .and_then(|rest| rest.split('/').next()?.parse().ok())
            .unwrap_or_else(|| panic!("no address in {said:?}"));
        (Self { child, address }, stderr)
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("connect");
        stream.set_read_timeout(Some(PATIENCE)).expect("time limit");
        stream
    }

    /// Sends bytes and reads until the server closes.
    fn exchange(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        // The server may answer and close before all is sent.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> (String, String) {
        let answer = self.exchange(format!("GET {path} HTTP/1.1\r\nHost: t\r\n\r\n").as_bytes());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        (head.to_owned(), body.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or(answer)
}

#[test]
fn each_path_answers_with_its_type() {
    let server = Server::start(&[]);
    let (head, metrics) = server.get("/metrics");
    assert!(
        head.contains("content-type: text/plain; version=0.0.4"),
        "{head}"
    );
    let sample = "zinspect_queue_write_zeroes_max_bytes{device=\"nvme1n1\"} 524288\n";
    assert!(metrics.contains(sample), "{metrics}");
    // Known by Identify alone, which goes through the memory of answers.
    let identified = "zinspect_nvme_dlfeat_read_behavior{device=\"nvme1n1\"} 1\n";
    assert!(metrics.contains(identified), "{metrics}");
    assert_eq!(server.get("/healthz").1, "ok\n");
    let report: serde_json::Value =
        serde_json::from_str(&server.get("/devices.json").1).expect("JSON");
    assert_eq!(report["schema_version"], 1);
    let (head, page) = server.get("/");
    assert!(head.contains("text/html"), "{head}");
    assert!(
        page.contains("nvme1n1") && !page.contains("<script"),
        "{page}"
    );
    let head = server.exchange(b"HEAD /metrics HTTP/1.1\r\nHost: t\r\n\r\n");
    assert!(
        head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"),
        "{head}"
    );
}

#[test]
fn what_is_not_a_scrape_is_refused() {
    let server = Server::start(&[]);
    let huge = format!(
        "GET /metrics HTTP/1.1\r\nHost: t\r\nX: {}\r\n\r\n",
        "a".repeat(20_000)
    );
    let many = format!(
        "GET /metrics HTTP/1.1\r\nHost: t\r\n{}\r\n",
        "X: a\r\n".repeat(500)
    );
    for (request, expected) in [
        (
            &b"POST /metrics HTTP/1.1\r\nHost: t\r\nContent-Length: 4\r\n\r\nbody"[..],
            "405",
        ),
        (b"DELETE / HTTP/1.1\r\nHost: t\r\n\r\n", "405"),
        (b"GET /../etc/passwd HTTP/1.1\r\nHost: t\r\n\r\n", "404"),
        (huge.as_bytes(), "431"),
        (many.as_bytes(), "431"),
        (
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03garbage\r\n\r\n",
            "400",
        ),
        (b"GET /metrics HTTP/9.9\r\n\r\n", "400"),
    ] {
        let answer = server.exchange(request);
        assert_eq!(
            status(&answer),
            expected,
            "{:?}",
            String::from_utf8_lossy(request)
        );
    }
    assert_eq!(status(&server.get("/metrics").0), "200");
}

#[test]
fn a_thousand_clients_that_send_nothing_do_not_stop_a_scrape() {
    let server = Server::start(&[]);
    // Kept open: half a request each. The server closes the oldest when it has too many.
    let slow: Vec<TcpStream> = (0..1000)
        .map(|_| {
            let mut stream = server.connect();
            let _ = stream.write_all(b"GET /metrics HTTP/1.1\r\nX-Slow: ");
            stream
        })
        .collect();
    let start = Instant::now();
    assert_eq!(status(&server.get("/metrics").0), "200");
    let took = start.elapsed();
    assert!(took < Duration::from_secs(4), "{took:?}");
    drop(slow);
}

#[test]
fn a_client_that_stops_in_mid_header_is_closed() {
    let server = Server::start(&[]);
    let start = Instant::now();
    let answer = server.exchange(b"GET /metrics HTTP/1.1\r\nX-Slow: ");
    let took = start.elapsed();
    assert!(
        took > Duration::from_secs(3) && took < Duration::from_secs(15),
        "{took:?} {answer}"
    );
}

/// A root whose one device cannot be read, as its name has a line break.
fn unreadable_host() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("folder");
    let class = root.path().join("sys/class/block");
    std::fs::create_dir_all(class.join("two\nlines")).expect("folders");
    root
}

const UNREAD: &str = "zinspect_scrape_collector_success{collector=\"other\"} 0\n";

#[test]
fn a_device_that_cannot_be_read_is_one_line_however_many_scrapes_come() {
    let root = unreadable_host();
    let sysroot = root.path().to_str().expect("UTF-8");
    let (server, mut log) = Server::of(&["--sysroot", sysroot], &["--max-age", "0"]);
    for path in ["/metrics", "/devices.json", "/metrics"] {
        assert_eq!(status(&server.get(path).0), "200");
    }
    let metrics = server.get("/metrics").1;
    assert!(metrics.contains(UNREAD), "{metrics}");
    drop(server);
    let mut said = String::new();
    log.read_to_string(&mut said).expect("UTF-8");
    assert!(
        said.lines().count() == 1 && said.contains("two\\x0alines: not read"),
        "{said}"
    );
}

#[test]
fn a_log_that_cannot_be_written_stops_no_scrape() {
    let root = unreadable_host();
    let sysroot = root.path().to_str().expect("UTF-8");
    let (server, log) = Server::of(&["--sysroot", sysroot], &["--max-age", "0"]);
    // Nobody reads any more: EPIPE.
    drop(log);
    let (head, metrics) = server.get("/metrics");
    assert!(
        status(&head) == "200" && metrics.contains(UNREAD),
        "{metrics}"
    );
    assert_eq!(status(&server.get("/metrics").0), "200");
    // Not even a list: that was said at each scrape.
    std::fs::remove_dir_all(root.path().join("sys/class")).expect("removed");
    for _ in 0..2 {
        let (head, metrics) = server.get("/metrics");
        let list = "zinspect_scrape_collector_success{collector=\"list\"} 0\n";
        assert!(
            status(&head) == "200" && metrics.contains(list),
            "{metrics}"
        );
    }
}

#[test]
fn a_full_log_stops_neither_serving_nor_watching() {
    let full = || Stdio::from(std::fs::File::create("/dev/full").expect("/dev/full"));
    let address = {
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        free.local_addr().expect("address")
    };
    let root = unreadable_host();
    let child = Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .arg("--sysroot")
        .arg(root.path())
        .args(["serve", "--listen", &address.to_string()])
        .stderr(full())
        .spawn()
        .expect("run zinspect");
    let server = Server { child, address };
    let start = Instant::now();
    while TcpStream::connect(address).is_err() && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(status(&server.get("/metrics").0), "200");
    assert_eq!(status(&server.get("/healthz").0), "200");
    if !std::path::Path::new("/sys/class/block").exists() {
        eprintln!("skipped: there is no /sys/class/block to watch");
        return;
    }
    let watched = Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .args(["watch", "--no-ioctl", "--looks", "1", "--interval", "1"])
        .stderr(full())
        .output()
        .expect("run zinspect");
    assert_eq!(watched.status.code(), Some(0));
}

#[test]
fn a_port_in_use_is_said_with_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("address").to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .args(["--snapshot", HOST, "serve", "--listen", &address])
        .output()
        .expect("run zinspect");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains(&address) && said.contains("--listen"),
        "{said}"
    );
}

#[test]
fn a_socket_of_systemd_is_used() {
    let port = {
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        free.local_addr().expect("address").to_string()
    };
    let started = Command::new("systemd-socket-activate")
        .args([
            "-l",
            &port,
            env!("CARGO_BIN_EXE_zinspect"),
            "--snapshot",
            HOST,
            "serve",
        ])
        .stderr(Stdio::null())
        .spawn();
    let Ok(child) = started else {
        eprintln!("skipped: systemd-socket-activate is not installed (Debian: systemd)");
        return;
    };
    let server = Server {
        child,
        address: port.parse().expect("address"),
    };
    let start = Instant::now();
    while TcpStream::connect(server.address).is_err() && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(status(&server.get("/metrics").0), "200");
}

/// `systemd-analyze security` of the unit with these examples of drop-ins copied beside it.
fn exposure(drop_ins: &[&str]) -> Option<f64> {
    let folder = tempfile::tempdir().expect("folder");
    let unit = folder.path().join("zinspect.service");
    std::fs::copy("systemd/zinspect.service", &unit).expect("unit");
    let beside = folder.path().join("zinspect.service.d");
    std::fs::create_dir(&beside).expect("folder");
    for name in drop_ins {
        let from = format!("systemd/zinspect.service.d/{name}.example");
        std::fs::copy(from, beside.join(name)).expect("drop-in");
    }
    let output = Command::new("systemd-analyze")
        .args(["security", "--no-pager", "--offline=true"])
        .arg(&unit)
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: systemd-analyze is not installed (Debian: systemd)");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let level = said.split("zinspect.service: ").nth(1)?;
    level.split(' ').next()?.parse().ok()
}

#[test]
fn the_units_expose_as_little_as_they_promise() {
    for (drop_ins, most) in [
        (&[][..], 0.5),
        (&["devices.conf"], 1.0),
        (&["devices.conf", "dm-tables.conf"], 1.5),
    ] {
        if let Some(exposure) = exposure(drop_ins) {
            assert!(exposure <= most, "{drop_ins:?}: {exposure}");
        }
    }
}
