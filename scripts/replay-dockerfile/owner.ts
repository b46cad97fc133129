import { chown, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { User } from './base-image.ts';

/** Gives a folder with all that is in it to a user; null changes nothing. */
export async function changeOwner(folder: string, user: User | null): Promise<void> {
  if (user === null) return;
  await chown(folder, user.uid, user.gid);
  const inside = await readdir(folder, { recursive: true });
  for (const name of inside) await chown(join(folder, name), user.uid, user.gid);
}
