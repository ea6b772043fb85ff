//! HTTP/1: four paths, and limits that hold whoever connects.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use zinspect_exporters::prometheus::CONTENT_TYPE as METRICS;

use super::cache::{Cache, NoAnswer};
use super::reader::Rendered;

/// Connections at once. When one more comes, the oldest that has not sent its request yet is closed: slow clients lose
/// their place to a scrape, not the other way round.
const CONNECTIONS: usize = 256;
/// For the request's line and headers.
const HEADER_TIME: Duration = Duration::from_secs(5);
/// For a whole connection, whose one answer a slow reader may not take for ever.
const CONNECTION_TIME: Duration = Duration::from_secs(30);
/// For the request's line and headers; the least that hyper takes.
const HEADER_BYTES: usize = 8192;

type Answer = Response<Full<Bytes>>;

/// Connections that are open, the oldest first.
#[derive(Default)]
struct Open {
    next: u64,
    all: BTreeMap<u64, AbortHandle>,
    asked: BTreeSet<u64>,
}

type Shared = Arc<Mutex<Open>>;

/// Takes connections for good.
pub(super) async fn accept(listener: TcpListener, cache: Arc<Cache>) {
    let open = Shared::default();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Mostly too many open files; the next attempt would fail as well.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let id = make_room(&open);
        let task = tokio::spawn(connection(stream, cache.clone(), open.clone(), id));
        if let Ok(mut open) = open.lock() {
            open.all.insert(id, task.abort_handle());
        }
        // It may have ended before it was listed.
        if task.is_finished() {
            forget(&open, id);
        }
    }
}

fn make_room(open: &Shared) -> u64 {
    let Ok(mut open) = open.lock() else {
        return 0;
    };
    if open.all.len() >= CONNECTIONS {
        let waiting = open.all.keys().find(|id| !open.asked.contains(id));
        let oldest = waiting.or_else(|| open.all.keys().next()).copied();
        if let Some(id) = oldest {
            open.asked.remove(&id);
            if let Some(task) = open.all.remove(&id) {
                task.abort();
            }
        }
    }
    open.next += 1;
    open.next
}

fn forget(open: &Shared, id: u64) {
    if let Ok(mut open) = open.lock() {
        open.all.remove(&id);
        open.asked.remove(&id);
    }
}

async fn connection(stream: TcpStream, cache: Arc<Cache>, open: Shared, id: u64) {
    let asked = open.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        if let Ok(mut open) = asked.lock() {
            open.asked.insert(id);
        }
        let cache = cache.clone();
        async move { Ok::<_, Infallible>(answer(&request, &cache).await) }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(HEADER_BYTES)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    // What a client did wrong is nobody else's business, and a log that clients can fill is one more thing to limit.
    let _ = tokio::time::timeout(CONNECTION_TIME, serving).await;
    forget(&open, id);
}

async fn answer(request: &Request<Incoming>, cache: &Cache) -> Answer {
    let path = request.uri().path();
    let known = matches!(path, "/" | "/metrics" | "/devices.json" | "/healthz");
    if !known {
        let text = "not here: /metrics, /devices.json, /healthz, /\n";
        return plain(StatusCode::NOT_FOUND, text.to_owned());
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let text = "only GET and HEAD\n".to_owned();
        let mut refused = plain(StatusCode::METHOD_NOT_ALLOWED, text);
        let allowed = HeaderValue::from_static("GET, HEAD");
        refused.headers_mut().insert(ALLOW, allowed);
        return refused;
    }
    match path {
        "/healthz" => health(cache),
        "/devices.json" => rendered(cache.devices().await, "application/json", |r| r.body),
        "/" => rendered(cache.metrics().await, "text/html; charset=utf-8", |r| {
            Ok(r.page)
        }),
        _ => rendered(cache.metrics().await, METRICS, |r| r.body),
    }
}

fn health(cache: &Cache) -> Answer {
    match cache.hangs_since() {
        None => plain(StatusCode::OK, "ok\n".to_owned()),
        Some(since) => plain(
            StatusCode::SERVICE_UNAVAILABLE,
            format!(
                "a collection has been late for {} s: a device or a driver hangs; see /proc/PID/task/*/stack\n",
                since.elapsed().as_secs()
            ),
        ),
    }
}

fn rendered(
    got: Result<Rendered, NoAnswer>,
    kind: &'static str,
    pick: fn(Rendered) -> Result<Bytes, String>,
) -> Answer {
    let text = match got.map(pick) {
        Ok(Ok(body)) => return response(StatusCode::OK, kind, body),
        Ok(Err(why)) => why,
        Err(NoAnswer::Late) => "the collection has not ended in time (--time-limit)".to_owned(),
        Err(NoAnswer::Gone) => "the host cannot be read; see the server's log".to_owned(),
    };
    plain(StatusCode::SERVICE_UNAVAILABLE, format!("{text}\n"))
}

fn plain(status: StatusCode, text: String) -> Answer {
    response(status, "text/plain; charset=utf-8", Bytes::from(text))
}

fn response(status: StatusCode, kind: &'static str, body: Bytes) -> Answer {
    let mut answer = Response::new(Full::new(body));
    *answer.status_mut() = status;
    for (name, value) in [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-content-type-options"), "nosniff"),
        (
            HeaderName::from_static("content-security-policy"),
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        ),
    ] {
        answer
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    answer
}
