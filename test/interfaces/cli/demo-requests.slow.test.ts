/**
 * Compares the demo requests that the stand-ins received with the requests that the vendors' libraries built. This test
 * has its own file, because it would otherwise count the requests of every demo in the process.
 */
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { demoCommand } from '../../../src/interfaces/cli/commands/demo/demo.ts';
import {
  listenToLibraries,
  OWN_TO_HUBSPOT,
  tally,
  toEntry,
} from '../../connectors/built-requests.ts';
import { sandboxControl } from '../../connectors/crm-sandbox.ts';
import { startCommand } from './run-command.ts';

const documentSchema = z.object({
  folder: z.object({ path: z.string() }),
  crms: z.tuple([
    z.object({ kind: z.literal('salesforce'), baseUrl: z.string() }),
    z.object({ kind: z.literal('hubspot'), baseUrl: z.string() }),
  ]),
});

it('sends to Salesforce and HubSpot what their libraries have built, as often, and the listed requests', async () => {
  const built: string[] = [];
  onTestFinished(listenToLibraries((method, url) => built.push(toEntry(method, url))));
  // Without --once, the stand-ins keep running, so the test can read which requests they received.
  let folder: string | null = null;
  const demo = startCommand(demoCommand, ['demo', '--json', '--contacts', '8'], { cwd: tmpdir() });
  onTestFinished(async () => {
    demo.stop();
    await demo.ended;
    if (folder !== null) await rm(folder, { recursive: true });
  });
  await expect.poll(demo.stdout).toContain('\n');
  const document = documentSchema.parse(JSON.parse(demo.stdout()));
  folder = document.folder.path;
  const seen: string[] = [];
  for (const { baseUrl } of document.crms) {
    const requests = await sandboxControl(baseUrl).requests();
    seen.push(...requests.map(({ method, path }) => toEntry(method, path)));
  }
  const own = seen.filter((entry) => OWN_TO_HUBSPOT.test(entry));
  expect(tally(seen.filter((entry) => !OWN_TO_HUBSPOT.test(entry)))).toEqual(tally(built));
  expect(new Set(own).size).toBeGreaterThan(2);
  expect(new Set(built).size).toBeGreaterThan(15);
});
