/** Tests the guide over HTTP. The guide is a fixed list of files that everyone can read. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpWorld, openHttpWorld } from './http-world.ts';

const PAGE = '<!doctype html><title>Concepts</title>';

const FILES = [
  { path: '/docs/guide', file: 'index.html', type: 'text/html; charset=utf-8' },
  { path: '/docs/guide/concepts', file: 'concepts.html', type: 'text/html; charset=utf-8' },
  { path: '/docs/guide/search.json', file: 'search.json', type: 'application/json' },
];

let folder: string;
let world: HttpWorld;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guide-'));
  await rm(folder, { recursive: true });
  world = await openHttpWorld({
    ...{ isIdle: true, guideFolder: folder, publicUrl: 'https://sync.example.org' },
  });
  // A token makes the service reachable from other machines.
  await world.addToken('viewer');
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

/**
 * The test creates the folder after the service has started. The service therefore cannot read a file of the guide
 * before a request.
 */
async function build(): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { file } of FILES) await writeFile(join(folder, file), PAGE);
  await writeFile(join(folder, 'private.txt'), 'not in the list');
  await writeFile(join(folder, 'files.json'), JSON.stringify(FILES));
}

function ask(path: string, method = 'GET') {
  return fetch(world.url + path, { method, headers: { 'x-forwarded-for': '203.0.113.9' } });
}

/** Returns the status for a path. Sends the path unchanged, because `fetch` would normalise it. */
function askExactly(path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(world.url);
  return new Promise((resolve, reject) => {
    const request = get({ hostname, port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
  });
}

describe('the guide', () => {
  it('says how to build it where it is not', async () => {
    const answer = await ask('/docs/guide');
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('npm run docs');
  });

  it('needs no session, and has the policy of all pages', async () => {
    await build();
    const signIn = await ask('/sign-in');
    const policy = signIn.headers.get('content-security-policy');
    expect(policy).not.toMatch(/unsafe|wasm/);
    for (const { path, type } of FILES) {
      const answer = await ask(path);
      expect(answer.status, path).toBe(200);
      expect(await answer.text(), path).toBe(PAGE);
      expect(answer.headers.get('content-type'), path).toBe(type);
      expect(answer.headers.get('content-security-policy'), path).toBe(policy);
      expect(answer.headers.get('set-cookie'), path).toBeNull();
    }
  });

  it('answers HEAD without a body', async () => {
    const answer = await ask('/docs/guide/concepts', 'HEAD');
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('');
  });

  it('has no other method', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await ask('/docs/guide/concepts', method);
      expect(answer.status, method).toBe(405);
      expect(answer.headers.get('allow'), method).toBe('GET, HEAD');
      await answer.body?.cancel();
    }
  });

  it('has nothing that is not in its list', async () => {
    const paths = [
      ...['/docs/guide/private.txt', '/docs/guide/files.json', '/docs/guide/concepts.html'],
      ...['/docs/guide/constructor', '/docs/guide/nothing', '/docs/guide/images/'],
      ...['/docs/guide/../guide/private.txt', '/docs/guide/..%2fguide%2fprivate.txt'],
      ...['/docs/guide/%2e%2e/%2e%2e/package.json', '/docs/guide/..%5cprivate.txt'],
      `/docs/guide/${encodeURIComponent(join(folder, 'private.txt'))}`,
      ...['/docs/guide//private.txt', '/docs/guide/./private.txt'],
    ];
    for (const path of paths) expect(await askExactly(path), path).toBe(404);
  });
});
