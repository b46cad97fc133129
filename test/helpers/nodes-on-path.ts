import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';

/** A Node on this machine that does not come from a package. */
export interface NodeOnPath {
  /** The folder it is in, for a PATH that begins with it. */
  folder: string;
  major: number;
}

/** Every Node on the path that is not in a `node_modules`. */
export function nodesOnPath(): NodeOnPath[] {
  const folders = new Set(
    (process.env['PATH'] ?? '')
      .split(delimiter)
      .filter((folder) => folder !== '' && !folder.split(sep).includes('node_modules'))
      .filter((folder) => existsSync(join(folder, 'node')))
      .map((folder) => realpathSync(folder)),
  );
  return [...folders].map((folder) => {
    const version = execFileSync(join(folder, 'node'), ['--version'], { encoding: 'utf8' });
    return { folder, major: Number.parseInt(version.slice(1), 10) };
  });
}
