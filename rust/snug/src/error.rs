//! What the library says when something is wrong.
use snug_sys as sys;
use std::cell::RefCell;
use std::ffi::CStr;
use std::fmt;
use std::os::raw::{c_char, c_void};
use std::ptr;

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// Misuse, such as a body of another kind than a function is for.
    BadArgument,
    /// Wrong data: an index out of range, a position that is not finite.
    BadInput,
    /// There is no more memory.
    OutOfMemory,
    /// Too far from the query's origin for `f32`, or too many of something.
    OutOfRange,
    /// Not a model, or a truncated, damaged or inconsistent one.
    BadFile,
    /// A model of another version of snug.
    UnsupportedVersion,
    /// [`BodyRef::validate`](crate::BodyRef::validate) found a vertex outside a bound.
    InvalidBounds,
    /// Anything else.
    Other,
}

impl From<sys::snugStatus> for Status {
    fn from(status: sys::snugStatus) -> Self {
        match status {
            sys::snug_badArgument => Status::BadArgument,
            sys::snug_badInput => Status::BadInput,
            sys::snug_outOfMemory => Status::OutOfMemory,
            sys::snug_outOfRange => Status::OutOfRange,
            sys::snug_badFile => Status::BadFile,
            sys::snug_unsupportedVersion => Status::UnsupportedVersion,
            sys::snug_invalidBounds => Status::InvalidBounds,
            _ => Status::Other,
        }
    }
}

/// A status, and a sentence that names what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    status: Status,
    message: String,
}

impl Error {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        Error { status, message: message.into() }
    }

    /// What went wrong.
    pub fn status(&self) -> Status {
        self.status
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// What may go wrong.
pub type Result<T> = std::result::Result<T, Error>;

// What the library said on this thread since `begin`: it calls back on the thread that called it.
#[derive(Default)]
struct Said {
    error: Option<String>,
    warnings: Vec<String>,
}

thread_local! {
    static SAID: RefCell<Said> = RefCell::default();
}

unsafe extern "C" fn hear(_user: *mut c_void, severity: sys::snugSeverity, text: *const c_char) {
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    let _ = SAID.try_with(|said| {
        if let Ok(mut said) = said.try_borrow_mut() {
            if severity == sys::snug_error {
                said.error = Some(text);
            } else {
                said.warnings.push(text);
            }
        }
    });
}

/// For every object: its sentences are kept until `check` or `take_warnings` asks for them.
pub(crate) fn messenger() -> sys::snugMessenger {
    sys::snugMessenger { message: Some(hear), user: ptr::null_mut() }
}

pub(crate) fn take_warnings() -> Vec<String> {
    SAID.with(|said| std::mem::take(&mut said.borrow_mut().warnings))
}

/// An error for every status but success.
pub(crate) fn check(status: sys::snugStatus) -> Result<()> {
    let said = SAID.with(|said| said.borrow_mut().error.take());
    if status == sys::snug_success {
        return Ok(());
    }
    let text = || unsafe { CStr::from_ptr(sys::snugGetStatusText(status)) }.to_string_lossy().into_owned();
    Err(Error::new(status.into(), said.unwrap_or_else(text)))
}

/// The library counts with 32 bits.
pub(crate) fn count(length: usize, what: &str) -> Result<u32> {
    u32::try_from(length).map_err(|_| Error::new(Status::OutOfRange, format!("{length} {what} are too many")))
}
