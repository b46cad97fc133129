import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { builtProgram } from '../../helpers/built-program.ts';
import { openBrowser } from '../open-browser.ts';
import type { Kind } from '../setup-world.ts';
import { openWalkWorld, type WalkWorld } from './walk-world.ts';

export interface Walks {
  browser(): Browser;
  /** Opens a service without clients and closes it after the test. */
  open(kind: Kind): Promise<WalkWorld>;
}

/** `timeoutMs` must be long enough to build the product. */
export function openWalks(timeoutMs: number): Walks {
  let browser: Browser;
  let program: string;
  beforeAll(async () => {
    [browser, program] = await Promise.all([openBrowser(), builtProgram()]);
  }, timeoutMs);
  afterAll(() => browser.close());
  return {
    browser: () => browser,
    async open(kind) {
      const world = await openWalkWorld(program, kind);
      onTestFinished(world.close);
      return world;
    },
  };
}
