/**
 * Asks the service as fast as the pace of its key allows, as one of many processes: the arguments are the
 * database, the address of the service, its key, for how long (ms), and how many at the same time. Each line
 * that it prints after the first is the moment at which a request left (ms since 1970).
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
