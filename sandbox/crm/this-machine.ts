/** The only machine that the sandbox sends anybody or anything to. */

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Whether an address is that of a web server on this very machine. */
export function isOnThisMachine(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return /^https?:$/.test(protocol) && LOOPBACK_HOSTS.includes(hostname);
}
