/** Proves the conformance kit with mistakes: it fails each of them, and passes the connector without one. */
import { describe, expect, it } from 'vitest';
import type { ConnectorDefinition } from '../../connectors/contract.ts';
import { testConnector } from '../../connectors/testing/conformance.ts';
import {
  defineExampleConnector,
  type ExampleSettings,
} from '../../connectors/testing/example/connector.ts';
import { EXAMPLE_ABILITIES, openExampleHarness } from '../../connectors/testing/example/harness.ts';
import { MISTAKES } from '../../connectors/testing/example/mistakes.ts';
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
  it('is proved by twenty-two mistakes', () => {
    expect(new Set(MISTAKES.map(({ name }) => name)).size).toBe(22);
  });

  it.each(MISTAKES)('fails a connector that $name', async ({ definition, breaks }) => {
    const broken = await findBrokenPromises((runner) => testKit(runner, definition), breaks);
    expect(broken).toMatchObject([{ title: breaks }]);
  });
});

function testKit(
  runner: Parameters<typeof testConnector>[0],
  definition: ConnectorDefinition<ExampleSettings>,
): void {
  testConnector(runner, 'example', () => openExampleHarness(definition), EXAMPLE_ABILITIES);
}
