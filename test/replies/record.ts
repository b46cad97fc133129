/**
 * Records the responses of the API, the pages and the command line. Every possible caller sends valid requests,
 * unknown IDs and invalid input. `compare.ts` then prints the differences from a different version of the product.
 *
 * Run `node test/replies/record.ts --out before.jsonl [--only api|page|command]`.
 */
import './steady-ids.ts';
import '../../connectors/senders/without-senders.ts';
import './tsx.ts';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';

const { API_CASES } = await import('./api-requests.ts');
const { writeEntries } = await import('./entries.ts');
const { recordHttp } = await import('./http.ts');
const { PAGE_CASES } = await import('./page-requests.ts');
const { recordCommands } = await import('./run-commands.ts');
const { compareNames, routeNames } = await import('./requests.ts');
const { buildWorld } = await import('./world.ts');

const { values } = parseArgs({ options: { out: { type: 'string' }, only: { type: 'string' } } });
const { out, only } = z
  .object({ out: z.string(), only: z.enum(['api', 'page', 'command']).optional() })
  .parse(values);
const startedAt = performance.now();
const world = await buildWorld();
try {
  tell('the world is built');
  await requireCases();
  const entries = [];
  const wants = (kind: string) => only === undefined || only === kind;
  if (wants('api')) entries.push(...(await recordHttp(world, 'api', API_CASES)));
  tell(`${entries.length} answers of the API`);
  if (wants('page')) entries.push(...(await recordHttp(world, 'page', PAGE_CASES)));
  tell(`${entries.length} answers with the pages`);
  if (wants('command')) entries.push(...(await recordCommands(world)));
  tell(`${entries.length} answers with the commands`);
  await writeFile(out, writeEntries(entries));
} finally {
  await world.close();
}

/** Fails if a route of the app is in no table, even if it is in the API's own description. */
async function requireCases(): Promise<void> {
  const open = await world.open();
  const names = routeNames(open.routes);
  const response = await fetch(`${open.url}/openapi.json`);
  const { paths } = z
    .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(await response.json());
  await open.close();
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
    ),
  );
  const table = [...Object.keys(API_CASES), ...Object.keys(PAGE_CASES)];
  const { without, unknown } = compareNames([...new Set([...names, ...described])], table);
  if (without.length + unknown.length === 0) return;
  throw new Error(
    `routes without a case: ${without.join(', ') || 'none'}; cases without a route: ${unknown.join(', ') || 'none'}`,
  );
}

function tell(text: string): void {
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  process.stderr.write(`${seconds} s: ${text}\n`);
}
