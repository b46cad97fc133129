/** Creates a folder that represents the base image. It contains this process's Node and this machine's npm. */
import { chmod, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import { bringFile } from './installed-modules.ts';

/** The users without special permissions in the image `node`, with their numbers. */
const USERS: Readonly<Record<string, number>> = { node: 1000 };

/** The numeric user and group IDs of a process or of a file's owner. */
export interface User {
  uid: number;
  gid: number;
}

/**
 * Creates the folder that is used as `/`. Returns the environment variables for the programs that run in this folder.
 */
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
  // All users must be able to write to the folder, even with a strict umask.
  await chmod(temporary, 0o1777);
  return { PATH: [bin, ...toolPaths()].join(delimiter), TMPDIR: temporary };
}

/**
 * Returns the folders with the tools of this machine. The checkout's own tools are left out, because the image's
 * modules must contain them.
 */
function toolPaths(): string[] {
  const path = z.string().parse(process.env['PATH']);
  return path.split(delimiter).filter((part) => !part.includes('node_modules'));
}

/** Throws if the versions of Node differ, because the replay would then say nothing about the image. */
function requireSameNode(image: string): void {
  const [, version] = /^node:([\d.]+)-slim(?:@sha256:[0-9a-f]{64})?$/.exec(image) ?? [];
  if (`v${version}` === process.version) return;
  throw new Error(`The image is ${image}, and this is Node ${process.version}.`);
}

/**
 * Returns the user in USER or --chown. Returns null if this process cannot run programs as this user. Only root can run
 * programs as a different user. Every other user has no special permissions anyway.
 */
export function userOf(name: string): User | null {
  const id = USERS[name.split(':')[0] ?? ''];
  if (id === undefined) throw new Error(`"${name}" is not an unprivileged user of the base image.`);
  return process.getuid?.() === 0 ? { uid: id, gid: id } : null;
}
