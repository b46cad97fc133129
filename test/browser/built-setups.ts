/**
 * Shared code for the tests of the set-up. It provides the built product, one browser for each test file, and a
 * separate service for each test.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { builtProgram } from '../helpers/built-program.ts';
import { openBrowser } from './open-browser.ts';
import {
  type Kind,
  openSetupWorld,
  type SetupWorld,
  type SetupWorldOptions,
} from './setup-world.ts';

export interface BuiltSetups {
  browser(): Browser;
  /** Opens a service without settings and closes it after the test. */
  open(kinds: readonly Kind[], options?: SetupWorldOptions): Promise<SetupWorld>;
}

/** `timeoutMs` must be long enough to build the product. */
export function openBuiltSetups(timeoutMs: number): BuiltSetups {
  let browser: Browser;
  let program: string;
  beforeAll(async () => {
    [browser, program] = await Promise.all([openBrowser(), builtProgram()]);
  }, timeoutMs);
  afterAll(async () => {
    await browser.close();
  });
  return {
    browser: () => browser,
    async open(kinds, options) {
      const world = await openSetupWorld(program, kinds, options);
      onTestFinished(world.close);
      return world;
    },
  };
}
