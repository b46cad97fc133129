/**
 * Sends requests to the service as fast as its key's rate allows. A test runs several of these processes at the same
 * time. The arguments are the database, the service's address, its key, the duration (ms), and the number of requests
 * at the same time. The process prints a first line, and then for each request the time at which it was sent (ms since
 * 1970).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/core/clock.ts';
import { createPaceBoard } from '../../src/credits/statements/paces.ts';
import { openDatabase } from '../../src/database/database.ts';
import type { Tables } from '../../src/database/tables/tables.ts';
import { createPacers } from '../../src/partner/key-pace.ts';

const [url = '', baseUrl = '', key = '', forMs = '', width = ''] = process.argv.slice(2);
const { db, close } = await openDatabase<Tables>(url);
const pacer = createPacers({ clock: systemClock, board: createPaceBoard(db) }).for('a-key');
const until = performance.now() + Number(forMs);

process.stdout.write('ready\n');
await Promise.all(
  Array.from({ length: Number(width) }, async () => {
    while (performance.now() < until) {
      await pacer.take('other');
      process.stdout.write(`${Date.now()}\n`);
      const headers = { 'x-api-key': key };
      const response = await fetch(`${baseUrl}/credits`, { headers });
      await response.arrayBuffer();
      await sleep(1);
    }
  }),
);
await close();
