//! ioctl(2) with its return value. The stock wrappers of rustix drop it, and the NVMe driver
//! returns the NVMe status there: a refused Identify would look like a success with zeroes.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;

use rustix::fd::AsFd;
use rustix::io::Errno;
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode};

/// One request with a pointer to its argument.
struct Call<'a> {
    opcode: Opcode,
    argument: *mut c_void,
    borrowed: PhantomData<&'a mut ()>,
}

// SAFETY: the opcode and the argument are those that `call` was given, and its caller answers for
// their fitting together; the output is the number that the kernel returned and no pointer is
// read.
unsafe impl Ioctl for Call<'_> {
    type Output = i32;

    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        self.opcode
    }

    fn as_ptr(&mut self) -> *mut c_void {
        self.argument
    }

    unsafe fn output_from_ptr(out: IoctlOutput, _argument: *mut c_void) -> Result<i32, Errno> {
        Ok(out)
    }
}

/// Sends one request and returns the number that the kernel returned, which is not negative.
///
/// # Safety
///
/// The driver must take `opcode` with a pointer to a `T` (for a slice: to as many bytes as the
/// slice has, by a length that the argument itself states), and every address in the argument
/// must point to memory that is as long as the argument says and not in use elsewhere until this
/// returns.
pub(crate) unsafe fn call<T: ?Sized>(
    fd: impl AsFd,
    opcode: Opcode,
    argument: &mut T,
) -> Result<i32, Errno> {
    let call = Call {
        opcode,
        argument: ptr::from_mut(argument).cast(),
        borrowed: PhantomData,
    };
    // SAFETY: what the caller of this function promised.
    unsafe { rustix::ioctl::ioctl(fd, call) }
}
