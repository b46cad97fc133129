/** Limits the sandbox's requests and redirects to this machine. */

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Returns true if the address leads to a web server on this machine. */
export function isOnThisMachine(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return /^https?:$/.test(protocol) && LOOPBACK_HOSTS.includes(hostname);
}
