/** The only machine to which the sandbox sends requests or redirects users. */

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** True if an address is that of a web server on this machine. */
export function isOnThisMachine(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return /^https?:$/.test(protocol) && LOOPBACK_HOSTS.includes(hostname);
}
