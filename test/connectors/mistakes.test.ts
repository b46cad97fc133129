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
import { findBrokenPromises } from '../../connectors/testing/run.ts';

testKit({ describe, it }, defineExampleConnector());

describe('the conformance kit', () => {
  it('is proved by twenty-one mistakes', () => {
    expect(new Set(MISTAKES.map(({ name }) => name)).size).toBe(21);
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
