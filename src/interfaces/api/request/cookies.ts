/** The names of donor-sync's cookies. */

/**
 * Returns the cookie's name. The prefix of the name makes browsers require HTTPS and the whole host (`path: '/'`).
 * Therefore, neither a neighbouring host nor a plain HTTP response can set the cookie.
 */
export function cookieNameOf(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}
