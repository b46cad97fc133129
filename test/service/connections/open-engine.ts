/** Opens an engine with a database in memory for a test. */

import { onTestFinished } from 'vitest';
import {
  type ConnectionEngine,
  openConnectionEngine,
} from '../../../service/connections/engine.ts';
import { openDatabase } from '../../../service/database.ts';
import type { World } from '../../../service/donor.ts';

/** Opens a world's engine and closes it after the test. */
export function openEngine(world: World): ConnectionEngine {
  const db = openDatabase(undefined);
  onTestFinished(() => {
    db.close();
  });
  return openConnectionEngine(db, world);
}

/** Queries a world's engine once and closes it immediately. */
export function askEngine<T>(world: World, ask: (engine: ConnectionEngine) => T): T {
  const db = openDatabase(undefined);
  try {
    return ask(openConnectionEngine(db, world));
  } finally {
    db.close();
  }
}
