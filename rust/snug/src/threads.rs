//! Threads for what the library lets its caller divide.
use snug_sys as sys;
use std::os::raw::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// What a task belongs to: the library says that its tasks may run on any threads.
struct Context(*mut c_void);
unsafe impl Sync for Context {}

impl Context {
    fn get(&self) -> *mut c_void {
        self.0
    }
}

unsafe extern "C" fn run(user: *mut c_void, count: u32, task: sys::snugTaskFcn, context: *mut c_void) {
    let task = match task {
        Some(task) => task,
        None => return,
    };
    let (next, context) = (AtomicU32::new(0), &Context(context));
    let work = || loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= count {
            break;
        }
        unsafe { task(context.get(), index) };
    };
    thread::scope(|scope| {
        for _ in 1..(user as usize).min(count as usize) {
            // Where there are no more threads, those that there are do the work.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}

/// So many threads, the caller's among them. Their number is all that has to be remembered, so it is the pointer.
pub(crate) fn workers(threads: usize) -> sys::snugWorkers {
    match threads {
        0 | 1 => sys::snugWorkers::default(),
        _ => sys::snugWorkers { run: Some(run), user: threads as *mut c_void },
    }
}
