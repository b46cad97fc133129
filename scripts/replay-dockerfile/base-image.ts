/** Creates the folder that replaces the base image, with this process's Node and this machine's npm. */
import { chmod, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import { bringFile } from './installed-modules.ts';

/** The unprivileged users of the image `node`, with their numbers. */
const USERS: Readonly<Record<string, number>> = { node: 1000 };

/** A user's numbers, for a process or for the owner of files. */
export interface User {
  uid: number;
  gid: number;
}

/** Creates the folder that is used as `/`. Returns the environment of everything that runs in it. */
export async function createBaseImage(
  root: string,
  image: string,
): Promise<Record<string, string>> {
  requireSameNode(image);
  const bin = join(root, 'usr/local/bin');
  await mkdir(bin, { recursive: true });
  await bringFile(process.execPath, join(bin, 'node'));
  const temporary = join(root, 'tmp');
  await mkdir(temporary);
  // Every user must be able to write into it, whatever the umask is.
  await chmod(temporary, 0o1777);
  return { PATH: [bin, ...toolPaths()].join(delimiter), TMPDIR: temporary };
}

/** Returns the folders with this machine's tools, except the checkout's. Those must come from the image's modules. */
function toolPaths(): string[] {
  const path = z.string().parse(process.env['PATH']);
  return path.split(delimiter).filter((part) => !part.includes('node_modules'));
}

/** A replay with another Node version would prove nothing about the image. */
function requireSameNode(image: string): void {
  const [, version] = /^node:([\d.]+)-slim(?:@sha256:[0-9a-f]{64})?$/.exec(image) ?? [];
  if (`v${version}` === process.version) return;
  throw new Error(`The image is ${image}, and this is Node ${process.version}.`);
}

/**
 * Returns the user in USER or --chown. Returns null if this process cannot become that user. Only root can, and any
 * other user has no special rights anyway.
 */
export function userOf(name: string): User | null {
  const id = USERS[name.split(':')[0] ?? ''];
  if (id === undefined) throw new Error(`"${name}" is not an unprivileged user of the base image.`);
  return process.getuid?.() === 0 ? { uid: id, gid: id } : null;
}
