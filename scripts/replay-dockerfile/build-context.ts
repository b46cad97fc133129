/** Determines which files of the checkout a build can copy. The file .dockerignore defines them. */
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Copies the checkout into an empty folder, without the files that .dockerignore excludes. */
export async function copyBuildContext(checkout: string, target: string): Promise<void> {
  const isTaken = parseDockerignore(await readFile(join(checkout, '.dockerignore'), 'utf8'));
  for (const name of (await readdir(checkout)).filter(isTaken)) {
    await cp(join(checkout, name), join(target, name), { recursive: true });
  }
}

/**
 * Reads a .dockerignore that first excludes all files (`*`) and then includes names (`!name`). With these patterns, a
 * new file with secrets does not get into the image by accident. Throws an error for any other pattern.
 */
export function parseDockerignore(text: string): (name: string) => boolean {
  const [first, ...others] = text.split('\n').filter((line) => !/^(#|$)/.test(line));
  const names = others.map((line) => /^!([\w.-]+)$/.exec(line)?.[1]);
  if (first !== '*' || names.includes(undefined)) {
    throw new Error(
      'The replay supports only a .dockerignore with "*" followed by "!name" in each line.',
    );
  }
  const taken = new Set(names);
  return (name) => taken.has(name);
}
