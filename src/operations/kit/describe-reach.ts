/** Warns terminal users about an address that only the server's own computer can reach. */
import { isLoopback } from '../../core/host.ts';

/** Returns the warning. Returns no lines if other computers can reach the address. */
export function describeReach(link: string): string[] {
  const { hostname, port } = new URL(link);
  if (!isLoopback(hostname)) return [];
  return [
    `It works only on this computer, while donor-sync listens at port ${port || '80'}. If you start \`serve\` with a different --port, set server.port in the settings. For other computers, set the server's address first: donor-sync address set URL`,
  ];
}
