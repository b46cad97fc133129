/**
 * Compiles the card of a project for the stand-in's record page. HubSpot's own packages convert the card to changes of
 * a tree, and the page applies these changes. The worker in which HubSpot loads a card exists only on HubSpot's
 * servers. Here, a small program replaces the worker.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const SOURCE = fileURLToPath(new URL('../../../deploy/hubspot', import.meta.url));

/** The example address in the repository's files. `donor-sync hubspot app` replaces it. */
const PLACEHOLDER = 'https://sync.example.org';

/** Returns the files of the app's project for an installation at this address, by path. */
export function readProject(address: string): Map<string, string> {
  const files = readdirSync(SOURCE, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.includes('node_modules'),
  );
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const text = readFileSync(path, 'utf8').replaceAll(PLACEHOLDER, address);
      return [relative(SOURCE, path), text];
    }),
  );
}

/** Throws an error if a file cannot be compiled. */
export async function compileCard(project: ReadonlyMap<string, string>) {
  return {
    card: await bundle('\0worker', project),
    receiver: await bundle('\0receiver', project),
  };
}

async function bundle(input: string, project: ReadonlyMap<string, string>): Promise<string> {
  const built = await rolldown({
    input,
    plugins: [own(project)],
    transform: {
      jsx: { runtime: 'automatic' },
      define: { 'process.env.NODE_ENV': '"production"' },
    },
  });
  const { output } = await built.generate({ format: input === '\0worker' ? 'iife' : 'es' });
  await built.close();
  return output[0].code;
}

/** A plugin that finds the worker's modules and the project's files. The files contain the installation's address. */
function own(project: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'card',
    resolveId: (id) => (id in MODULES ? id : null),
    load(id) {
      return MODULES[id] ?? project.get(relative(SOURCE, id)) ?? null;
    },
  };
}

const CARD = join(SOURCE, 'src/app/cards/ContactCard.tsx');

const MODULES: Readonly<Record<string, string>> = {
  '\0receiver': "export { createRemoteReceiver } from '@remote-ui/core';",
  '\0worker': `import '\0globals'; import ${JSON.stringify(CARD)};`,
  // HubSpot's package reads these global variables when it is loaded, so they must be set first.
  '\0globals': `
import { createRemoteRoot } from '@remote-ui/core';
import { createRoot } from '@remote-ui/react';
const functions = new Map();
const fetches = new Map();
let last = 0;
function encode(value) {
  if (typeof value === 'function') {
    last += 1;
    functions.set(last, value);
    return { remoteFunction: last };
  }
  if (Array.isArray(value)) return value.map(encode);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, encode(each)]));
}
const root = createRemoteRoot((...change) => self.postMessage({ kind: 'change', change: encode(change) }));
let extension = null;
self.__HUBSPOT_EXTENSION_WORKER__ = true;
self.extend_V2 = (show) => { extension = show; };
self.hsFetch = (url, { body }) => new Promise((resolve, reject) => {
  last += 1;
  fetches.set(last, { resolve, reject });
  self.postMessage({ kind: 'fetch', id: last, url, body });
});
self.addEventListener('message', ({ data }) => {
  if (data.kind === 'show') {
    createRoot(root).render(extension({ context: data.context }));
    root.mount();
  }
  if (data.kind === 'call') functions.get(data.id)?.();
  if (data.kind === 'fetched') {
    const { resolve, reject } = fetches.get(data.id);
    if (data.status === null) reject(new Error('The address could not be reached.'));
    else resolve(new Response(data.answer, { status: data.status }));
  }
});
`,
};
