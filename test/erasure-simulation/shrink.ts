/** Removes steps from a failing history as long as the history still fails in the same way. */
import type { SharedStore } from '../simulation/database/store.ts';
import { type HistoryResult, playHistory } from './history.ts';

export async function shrink(store: SharedStore, failing: HistoryResult): Promise<HistoryResult> {
  let smallest = failing;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    const { steps } = smallest.history;
    for (let at = steps.length - 1; at >= 0; at -= 1) {
      const fewer = { ...smallest.history, steps: steps.filter((_, index) => index !== at) };
      const played = await playHistory(store, fewer);
      if (kindOf(played) !== kindOf(failing)) continue;
      smallest = played;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/** Returns the start of the violation's text without IDs and values, so that failures can be compared. */
function kindOf({ violations: [first] }: HistoryResult): string {
  return first?.replace(/(contact|double)-\d+/g, 'ID').slice(0, 30) ?? '';
}
