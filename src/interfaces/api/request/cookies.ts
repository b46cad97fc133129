/** The names of the service's cookies. */

/**
 * Returns a cookie's name. Browsers accept a cookie with this prefix only over https, and only for the whole host
 * (`path: '/'`). So neither a neighbouring host nor plain http can set it.
 */
export function cookieNameOf(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}
