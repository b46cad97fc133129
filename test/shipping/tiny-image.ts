import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildImage, type Image } from '../../scripts/replay-dockerfile/build-image.ts';
import { parseDockerfile } from '../../scripts/replay-dockerfile/dockerfile.ts';

/** Files of a build, by path. */
export type Files = Readonly<Record<string, string>>;

/** An image with a few instructions, in a folder that is deleted when the image is closed. */
export interface TinyImage {
  image: Image;
  close(): Promise<void>;
}

/** Builds an image from lines of a Dockerfile, with the Node of this process. */
export async function buildTinyImage(lines: readonly string[], files: Files): Promise<TinyImage> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-tiny-image-'));
  const close = () => rm(folder, { recursive: true });
  try {
    await chmod(folder, 0o755);
    const context = join(folder, 'context');
    for (const [path, text] of Object.entries(files)) await save(join(context, path), text);
    const from = `FROM node:${process.versions.node}-slim`;
    const stages = parseDockerfile([`${from} AS first`, ...lines].join('\n'));
    return { image: await buildImage({ stages, context, folder, onStep() {} }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function save(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
