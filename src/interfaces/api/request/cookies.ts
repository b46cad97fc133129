/** The names of the service's cookies. */

/**
 * Browsers accept a cookie with this prefix only over https, for the whole host (`path: '/'`) and no other: neither a
 * neighbouring host nor plain http can plant one.
 */
export function cookieNameOf(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}
