/** The names of the service's cookies. */

/**
 * This prefix requires https and the whole host (`path: '/'`). So no neighbouring host and no plain http can set the
 * cookie.
 */
export function cookieNameOf(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}
