/**
 * Tests the conformance kit with deliberate mistakes. The kit must detect each mistake, and must pass the connector
 * without mistakes.
 */
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { ConnectorDefinition } from '../../connectors/contract.ts';
import {
  type Ability,
  type ConformanceHarness,
  testConnector,
} from '../../connectors/testing/conformance.ts';
import {
  defineExampleConnector,
  type ExampleSettings,
} from '../../connectors/testing/example/connector.ts';
import { EXAMPLE_ABILITIES, openExampleHarness } from '../../connectors/testing/example/harness.ts';
import { MISTAKES } from '../../connectors/testing/example/mistakes.ts';
import { CAUSED_TITLES } from '../../connectors/testing/likely-causes.ts';
import { kitProblem } from '../../connectors/testing/node.ts';
import { write } from '../../connectors/testing/readings.ts';
import { findBrokenPromises } from '../../connectors/testing/run.ts';
import { people } from '../../connectors/testing/seeds.ts';

testKit({ describe, it }, defineExampleConnector());

it('names each field that the CRM has refused, if nothing of a change is left', async () => {
  const harness = await openExampleHarness(defineExampleConnector());
  const [id = ''] = await harness.addContacts(people(1));
  for (const field of harness.textFields) await harness.refuseField?.(id, field);
  const values = Object.fromEntries(harness.textFields.map((field) => [field, 'ours']));
  const results = await write(await harness.open(), [{ id, values }]);
  await harness.close();
  expect(results).toMatchObject([{ status: 'refused', fields: [...harness.textFields] }]);
});

describe('the conformance kit', () => {
  it('is proved by a hundred and one mistakes', () => {
    expect(new Set(MISTAKES.map(({ name }) => name)).size).toBe(101);
  });

  it.each(MISTAKES)('fails a connector that $name', async ({ definition, breaks, says }) => {
    const broken = await findBrokenPromises((runner) => testKit(runner, definition), breaks);
    expect(broken).toMatchObject([
      { title: breaks, error: { message: expect.stringContaining(says ?? '') } },
    ]);
    expect(String(broken[0]?.error)).not.toMatch(/deep-equal|deepStrictEqual|falsy|truthy/);
  });

  it('blames the version of Node and not the connector, if the version is too old', () => {
    expect(kitProblem('20.20.2')).toMatch(
      /^Node 22\.19\.0 or later is needed, and this is Node 20/,
    );
    expect(kitProblem('22.19.0')).toBeNull();
  });

  it('knows the likely cause only of promises that it has', () => {
    const titles: string[] = [];
    testKit(
      {
        describe: (_, body) => body(),
        it: (title) => void titles.push(title),
      },
      defineExampleConnector(),
      [...EXAMPLE_ABILITIES, 'automate', 'otherApp', 'addBreakingGroup', 'hideSources'],
    );
    const unknown = CAUSED_TITLES.filter((title) => {
      const begin = title.endsWith('…') ? title.slice(0, -1) : null;
      return !titles.some((each) => (begin === null ? each === title : each.startsWith(begin)));
    });
    expect(unknown).toEqual([]);
  });
});

it('fails a connector that declares a mark which its harness cannot set', async () => {
  const title = 'declares the marks that it is tested for';
  const open = async () => {
    const { ownMarks, ...harness } = await openExampleHarness(defineExampleConnector());
    const { doNotContact: _, ...others } = ownMarks ?? {};
    return { ...harness, ownMarks: others };
  };
  const broken = await findBrokenPromises((runner) => {
    testConnector(runner, 'example', open, EXAMPLE_ABILITIES);
  }, title);
  expect(broken).toMatchObject([
    { title, error: { message: expect.stringContaining('["doNotContact"]') } },
  ]);
});

it('says that a harness ignores the options of `check`', async () => {
  const title = 'refuses to open with a rejected key, and reports it as a finding';
  const open = async () => {
    const harness = await openExampleHarness(defineExampleConnector());
    return { ...harness, check: () => harness.check() };
  };
  const broken = await findBrokenPromises((runner) => {
    testConnector(runner, 'example', open, EXAMPLE_ABILITIES);
  }, title);
  expect(broken).toMatchObject([
    { error: { message: expect.stringContaining('Pass the options on in the harness') } },
  ]);
});

it('fails a connector whose key it cannot see, because it could not find it in messages either', async () => {
  const title = 'puts no key and nothing about people into errors, results, findings and the log';
  const broken = await findBrokenPromises((runner) => {
    testConnector(runner, 'example', openWithHiddenKey, EXAMPLE_ABILITIES);
  }, title);
  expect(broken).toMatchObject([
    { error: { message: expect.stringContaining('sees no key in the requests') } },
  ]);
});

/** Opens a connector that sends its key in a header with a harmless name, to a server that knows this header. */
async function openWithHiddenKey(): Promise<ConformanceHarness> {
  const right = defineExampleConnector();
  const harness = await openExampleHarness({
    ...right,
    open: (options) =>
      right.open({
        ...options,
        deps: { ...options.deps, fetch: renaming('x-api-key', 'x-visitor') },
      }),
  });
  const target = new URL(harness.api?.url ?? '').origin;
  const forward = renaming('x-visitor', 'x-api-key');
  const front = createServer(async ({ method = 'GET', url = '', headers }, response) => {
    const visitor = String(headers['x-visitor']);
    const reply = await forward(target + url, { method, headers: { 'x-visitor': visitor } });
    response.writeHead(reply.status, { 'content-type': 'application/json' });
    response.end(await reply.text());
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const address = front.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`;
  return {
    ...harness,
    api: { url },
    open: (options) => harness.open({ url, ...options }),
    async close() {
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
      await harness.close();
    },
  };
}

function renaming(from: string, to: string): typeof globalThis.fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set(to, headers.get(from) ?? '');
    headers.delete(from);
    return globalThis.fetch(input, { ...init, headers });
  };
}

function testKit(
  runner: Parameters<typeof testConnector>[0],
  definition: ConnectorDefinition<ExampleSettings>,
  abilities: readonly Ability[] = EXAMPLE_ABILITIES,
): void {
  testConnector(runner, 'example', () => openExampleHarness(definition), abilities);
}
