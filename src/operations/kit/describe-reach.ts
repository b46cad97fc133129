/** Explains, in the terminal, an address that leads to the server's own computer. */
import { isLoopback } from '../../core/host.ts';

/** Returns no lines if other computers reach the address. */
export function describeReach(link: string): string[] {
  const { hostname, port } = new URL(link);
  if (!isLoopback(hostname)) return [];
  return [
    `It works only on this computer, while donor-sync listens at port ${port || '80'}. If you start \`serve\` with a different --port, set server.port in the settings. For other computers, set the server's address first: donor-sync address set URL`,
  ];
}
