//! Codecs through their public interface: all files in one program, since each program is linked by itself.

mod spdy;
