import { spawn } from 'node:child_process';
import { platform } from 'node:os';
import type { Environment } from '../../../config/environment.ts';

/** What opens an address in the browser that a person likes best; `xdg-open` elsewhere. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Tries to open an address; where there is no browser the person has the printed address. */
export function openInBrowser(address: string, env: Environment): void {
  const [program, ...options] = OPENERS[platform()] ?? ['xdg-open'];
  const child = spawn(program, [...options, address], { detached: true, stdio: 'ignore', env });
  child.on('error', () => {});
  child.unref();
}
