/** Simulates a history of events from its plan. Two simulations of one plan produce equal histories. */

import type { SharedStore } from '../simulation/database/store.ts';
import { createRandom } from '../simulation/random.ts';
import { setChance } from '../simulation/takeover.ts';
import { atRest, createTimeline } from '../simulation/timeline.ts';
import { stackOf } from '../simulation/trace.ts';
import { judge } from './judge.ts';
import type { History } from './plan.ts';
import { createWorld } from './world.ts';

export interface HistoryResult {
  history: History;
  violations: readonly string[];
  story: readonly string[];
  /** Number of contacts that were completely erased. */
  erased: number;
  /** The number of times that each event happened. */
  events: ReadonlyMap<string, number>;
}

const START = Date.UTC(2026, 2, 9, 2);

/** A history contains at most this number of events. The simulation stops a longer history as endless. */
const MOST_STEPS = 100_000;

export async function playHistory(store: SharedStore, history: History): Promise<HistoryResult> {
  const random = createRandom(`play ${history.seed}`);
  const timeline = createTimeline(START, random.split('ties'), store.underWay);
  const violations: string[] = [];
  setChance(random.split('ids'));
  try {
    store.begin({
      ...{ kind: 'machine', timeline, random: random.split('store'), say: () => undefined },
      ...{ onCheckpoint: () => undefined, lostCommits: () => 0, clockOffsetMs: 0 },
    });
    const { world, play } = createWorld(store, history, timeline, violations);
    let isOver = false;
    const playing = play((step, isLast) => judge(world, step, isLast)).then(
      () => {
        isOver = true;
      },
      (error: unknown) => {
        isOver = true;
        world.violate(`no error: ${stackOf(error)}`);
      },
    );
    await atRest(store.underWay);
    while (!isOver) {
      if (timeline.steps > MOST_STEPS) {
        world.violate('the history does not end');
        break;
      }
      if (!(await timeline.step()) && !isOver) {
        world.violate('nothing is going to happen any more, and work is left');
        break;
      }
    }
    if (isOver) await playing;
    const erased = [...world.erasures.values()].filter(({ isDone }) => isDone).length;
    return { history, violations, story: world.story, erased, events: world.events };
  } finally {
    setChance(null);
  }
}
