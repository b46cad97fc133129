/** Produces random faults in the database, its disk and its file, and in the clocks. */

import type { SharedStore } from '../database/store.ts';
import type { HostClock } from '../processes/process.ts';
import type { Random } from '../random.ts';
import type { Faults } from '../swarm/swarm.ts';
import { HOUR_MS, type Timeline } from '../timeline.ts';

const DAY_MS = 24 * HOUR_MS;

export interface Disturbed {
  faults: Faults;
  timeline: Timeline;
  store: SharedStore;
  hosts: readonly { name: string; clock: HostClock }[];
  isCalm(): boolean;
  say(who: string, what: string): void;
}

/** Causes faults until a session ends. */
export async function disturb(world: Disturbed, chaos: Random, end: Promise<void>): Promise<void> {
  const { faults, timeline, store } = world;
  const { databaseAway, diskFull, clockJump, replaced, newer } = faults;
  let isOver = false;
  void end.then(() => {
    isOver = true;
  });
  for (let minute = 0; !isOver && minute < 30; minute += 1) {
    if (chaos.chance(databaseAway)) {
      timeline.after(chaos.int(0, 59_000), () => {
        if (!isOver) store.goAway(chaos.magnitude(50, 40_000));
      });
    }
    if (chaos.chance(diskFull)) {
      timeline.after(chaos.int(0, 59_000), () => {
        if (!isOver) store.fillDisk(chaos.magnitude(1_000, 60_000));
      });
    }
    if (replaced > 0 && chaos.chance(replaced)) {
      timeline.after(chaos.int(0, 20_000), () => {
        if (!isOver) store.replaceFile();
      });
    }
    if (newer > 0 && chaos.chance(newer)) {
      timeline.after(chaos.int(0, 20_000), () => {
        if (!isOver) store.bringFurther();
      });
    }
    if (chaos.chance(clockJump)) timeline.after(chaos.int(0, 59_000), () => setClock(world, chaos));
    await timeline.pass(chaos.int(20_000, 60_000));
  }
}

/** Changes the clock of one host, as a user or a time server can. */
export function setClock({ hosts, isCalm, say }: Disturbed, chaos: Random): void {
  const host = chaos.one(hosts);
  if (host === undefined || isCalm()) return;
  const sign = chaos.chance(0.5) ? 1 : -1;
  // The clock often changes by several hours, as with a wrong time zone or a wrong date. In all other cases, the clock
  // changes by a random time.
  const byMs = chaos.chance(0.3) ? chaos.int(5 * HOUR_MS, DAY_MS) : chaos.magnitude(100, DAY_MS);
  host.clock.offsetMs += sign * byMs;
  const minutes = Math.round(host.clock.offsetMs / 60_000);
  say(`the clock of host ${host.name}`, `is set: ${minutes} minutes ahead of the true time`);
}
