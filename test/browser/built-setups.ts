/**
 * Shared parts of the set-up tests: the built product, one browser for each file, and worlds for the tests.
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
  /** A service without settings, which is closed after the test. */
  open(kinds: readonly Kind[], options?: SetupWorldOptions): Promise<SetupWorld>;
}

/** The product is compiled within that time. */
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
