/** A worker that is killed in its second night. A worker that gets the first seed ends normally. */
import type { Progress } from './workers.ts';

const seed = Number(process.argv.at(-1));
const done = { runs: 3, credits: 5, failed: 0, seconds: 2 };

await say({ ...done, nights: 1, next: seed + 1, isOver: false });
if (seed === 1) await say({ ...done, nights: 4, next: seed + 4, isOver: true });
else process.kill(process.pid, 'SIGKILL');
process.disconnect?.();

function say(progress: Progress): Promise<void> {
  return new Promise((resolve) => process.send?.(progress, () => resolve()));
}
