//! Shares collections: at most one runs, and what it brought is answered again for a while.

use std::sync::Mutex as Plain;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, oneshot};
use tokio::time::timeout;

use super::reader::{Rendered, Request};

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The collection has not ended in time; it goes on.
    Late,
    /// The reader ended, which it does when the host cannot be opened.
    Gone,
}

/// What is known of one kind of request.
#[derive(Default)]
struct Shelf {
    last: Option<(Instant, Rendered)>,
    running: Option<oneshot::Receiver<Rendered>>,
}

/// Answers, fresh or kept.
pub(super) struct Cache {
    requests: mpsc::Sender<Request>,
    max_age: Duration,
    time_limit: Duration,
    metrics: Mutex<Shelf>,
    devices: Mutex<Shelf>,
    /// Since when somebody waits in vain.
    late_since: Plain<Option<Instant>>,
}

impl Cache {
    pub(super) fn new(
        requests: mpsc::Sender<Request>,
        max_age: Duration,
        time_limit: Duration,
    ) -> Self {
        Self {
            requests,
            max_age,
            time_limit,
            metrics: Mutex::default(),
            devices: Mutex::default(),
            late_since: Plain::new(None),
        }
    }

    pub(super) async fn metrics(&self) -> Result<Rendered, NoAnswer> {
        self.get(&self.metrics, Request::Metrics).await
    }

    pub(super) async fn devices(&self) -> Result<Rendered, NoAnswer> {
        self.get(&self.devices, Request::Devices).await
    }

    pub(super) fn forget(&self) {
        let _ = self.requests.send(Request::Forget);
    }

    /// Since when a collection is late, where one is.
    pub(super) fn hangs_since(&self) -> Option<Instant> {
        self.late_since.lock().map_or(None, |since| *since)
    }

    /// Everybody who comes while a collection runs waits for that one.
    async fn get(
        &self,
        place: &Mutex<Shelf>,
        ask: fn(oneshot::Sender<Rendered>) -> Request,
    ) -> Result<Rendered, NoAnswer> {
        let got = timeout(self.time_limit, async {
            let mut kept = place.lock().await;
            if let Some((taken, answer)) = &kept.last
                && taken.elapsed() < self.max_age
            {
                return Ok(answer.clone());
            }
            if kept.running.is_none() {
                let (sender, receiver) = oneshot::channel();
                self.requests
                    .send(ask(sender))
                    .map_err(|_| NoAnswer::Gone)?;
                kept.running = Some(receiver);
            }
            let Some(running) = kept.running.as_mut() else {
                return Err(NoAnswer::Gone);
            };
            let answer = running.await;
            kept.running = None;
            let answer = answer.map_err(|_| NoAnswer::Gone)?;
            kept.last = Some((Instant::now(), answer.clone()));
            Ok(answer)
        })
        .await;
        let got = got.unwrap_or(Err(NoAnswer::Late));
        if let Ok(mut since) = self.late_since.lock() {
            *since = match &got {
                Err(NoAnswer::Late) => since.or_else(|| Some(Instant::now())),
                _ => None,
            };
        }
        got
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A reader that takes its time, and counts.
    fn slow(takes: Duration) -> (mpsc::Sender<Request>, Arc<AtomicU32>) {
        let (sender, requests) = mpsc::channel();
        let count = Arc::new(AtomicU32::new(0));
        let counted = count.clone();
        std::thread::spawn(move || {
            for request in requests {
                if let Request::Metrics(answer) | Request::Devices(answer) = request {
                    std::thread::sleep(takes);
                    let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
                    let body = Ok(Bytes::from(number.to_string()));
                    let page = Bytes::new();
                    let _ = answer.send(Rendered { body, page });
                }
            }
        });
        (sender, count)
    }

    fn run<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(future)
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_hundred_scrapes_at_once_are_one_collection() {
        run(async {
            let (requests, count) = slow(Duration::from_millis(50));
            let cache = Arc::new(Cache::new(requests, LONG, LONG));
            let mut tasks = tokio::task::JoinSet::new();
            for _ in 0..100 {
                let cache = cache.clone();
                tasks.spawn(async move { cache.metrics().await.unwrap().body.unwrap() });
            }
            let answers = tasks.join_all().await;
            assert!(answers.iter().all(|body| body == "1"));
            assert_eq!(count.load(Ordering::SeqCst), 1);
        });
    }

    #[test]
    fn a_late_collection_is_waited_for_and_not_begun_again() {
        run(async {
            let (requests, count) = slow(Duration::from_millis(200));
            let cache = Cache::new(requests, LONG, Duration::from_millis(20));
            for _ in 0..3 {
                assert_eq!(cache.metrics().await.unwrap_err(), NoAnswer::Late);
                assert!(cache.hangs_since().is_some());
            }
            tokio::time::sleep(Duration::from_millis(400)).await;
            assert_eq!(cache.metrics().await.unwrap().body.unwrap(), "1");
            assert_eq!(count.load(Ordering::SeqCst), 1);
            assert!(cache.hangs_since().is_none());
        });
    }

    #[test]
    fn an_old_collection_is_not_answered_again() {
        run(async {
            let (requests, _) = slow(Duration::ZERO);
            let cache = Cache::new(requests, Duration::ZERO, LONG);
            let mut bodies = Vec::new();
            for _ in 0..2 {
                bodies.push(cache.metrics().await.unwrap().body.unwrap());
            }
            assert_eq!(bodies, ["1", "2"]);
        });
    }

    #[test]
    fn a_reader_that_ended_is_told() {
        let (requests, receiver) = mpsc::channel();
        drop(receiver);
        let cache = Cache::new(requests, LONG, LONG);
        let got = run(cache.metrics());
        assert_eq!(got.unwrap_err(), NoAnswer::Gone);
    }
}
