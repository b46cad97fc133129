import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';

/** A Node installation on this machine that is not part of an npm package. */
export interface NodeOnPath {
  /** The folder of the installation. If PATH starts with this folder, this Node is used. */
  folder: string;
  major: number;
}

/** Returns every Node on the path that is not inside a `node_modules` folder. */
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
