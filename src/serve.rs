//! An exporter over HTTP: one thread reads the host, one answers.
//!
//! What a scrape can cost is bounded: collections are shared (`cache`), commands go to a device once in the life of its
//! diskseq ([`Remembering`](crate::source::remember::Remembering)), and connections are few and short (`http`).

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use crate::model::device::BlockDevice;
use crate::say::say;
use crate::source::Host;
use crate::view::metrics::Options;

mod cache;
mod http;
mod log;
mod page;
mod reader;

use cache::Cache;

/// What the command line asks for.
pub struct Settings {
    /// Where to listen unless sockets are handed over.
    pub listen: SocketAddr,
    /// For how long a collection is answered again.
    pub max_age: Duration,
    /// How long an answer waits for a collection.
    pub time_limit: Duration,
    /// Which series there are.
    pub options: Options,
    /// Which devices have some.
    pub takes: Box<dyn Fn(&BlockDevice) -> bool + Send>,
    /// Opens the host, in the thread that will read it.
    pub open: Box<dyn FnOnce() -> Result<Host, String> + Send>,
}

/// Why the server does not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error(
        "cannot listen on {listen}: {source}; choose another with --listen, or see who has it: ss -ltnp"
    )]
    Listen {
        /// The address.
        listen: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// A socket that was handed over is not one to listen on.
    #[error(
        "cannot use the sockets that were handed over (LISTEN_FDS): {0}; they must be TCP stream sockets"
    )]
    Sockets(io::Error),
    /// The system has no room for it.
    #[error("cannot begin to serve: {0}")]
    Start(io::Error),
    /// Nothing can be answered any more.
    #[error(
        "the thread that reads the host has ended, so no scrape can be answered; the line before this one says why; \
         start the server again"
    )]
    Reader,
}

/// Serves until a signal ends the process, or the host cannot be read any more.
pub fn run(settings: Settings) -> Result<Infallible, ServeError> {
    let listeners = listeners(settings.listen)?;
    let (max_age, time_limit) = (settings.max_age, settings.time_limit);
    let (requests, ended) = reader::start(settings).map_err(ServeError::Start)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(ServeError::Start)?;
    runtime.block_on(async move {
        let cache = Arc::new(Cache::new(requests, max_age, time_limit));
        let mut tasks = tokio::task::JoinSet::new();
        for listener in listeners {
            let listener =
                tokio::net::TcpListener::from_std(listener).map_err(ServeError::Start)?;
            tasks.spawn(http::accept(listener, cache.clone()));
        }
        tasks.spawn(watchdog(cache.clone()));
        tasks.spawn(forget_on_hangup(cache));
        let _ = sd_notify::notify(&[sd_notify::NotifyState::Ready]);
        // The tasks go on for good. Without a reader they would answer, and feed the watchdog, for nothing.
        let _ = ended.await;
        Err(ServeError::Reader)
    })
}

fn listeners(listen: SocketAddr) -> Result<Vec<TcpListener>, ServeError> {
    let mut handed = listenfd::ListenFd::from_env();
    let mut listeners = Vec::new();
    for at in 0..handed.len() {
        listeners.extend(handed.take_tcp_listener(at).map_err(ServeError::Sockets)?);
    }
    if listeners.is_empty() {
        let listener =
            TcpListener::bind(listen).map_err(|source| ServeError::Listen { listen, source })?;
        say(format!(
            "serving http://{}/metrics",
            listener.local_addr().unwrap_or(listen)
        ));
        listeners.push(listener);
    }
    for listener in &listeners {
        listener
            .set_nonblocking(true)
            .map_err(ServeError::Sockets)?;
    }
    Ok(listeners)
}

/// Tells systemd that all is well, as long as no collection hangs.
async fn watchdog(cache: Arc<Cache>) {
    let Some(every) = sd_notify::watchdog_enabled() else {
        return;
    };
    let mut beat = tokio::time::interval(every / 2);
    loop {
        beat.tick().await;
        if cache.hangs_since().is_none() {
            let _ = sd_notify::notify(&[sd_notify::NotifyState::Watchdog]);
        }
    }
}

/// SIGHUP: devices are asked anew at the next scrape.
async fn forget_on_hangup(cache: Arc<Cache>) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut hangups) = signal(SignalKind::hangup()) else {
        return;
    };
    while hangups.recv().await.is_some() {
        cache.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_whose_reader_ended_ends_with_an_error() {
        for open in [
            Box::new(|| -> Result<Host, String> { panic!("on purpose") })
                as Box<dyn FnOnce() -> Result<Host, String> + Send>,
            Box::new(|| Err("no such host".to_owned())),
        ] {
            let ended = run(Settings {
                listen: SocketAddr::from(([127, 0, 0, 1], 0)),
                max_age: Duration::from_secs(1),
                time_limit: Duration::from_secs(1),
                options: Options::default(),
                takes: Box::new(|_| true),
                open,
            });
            assert!(matches!(ended, Err(ServeError::Reader)), "{ended:?}");
        }
    }
}
