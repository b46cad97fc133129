import type { Clock } from '../../../core/clock.ts';
import { plainLine } from '../../../core/printable.ts';
import { fitWidth } from './display-width.ts';
import type { TextStream } from './output.ts';
import { formatCount, formatDuration, formatRate } from './words.ts';

/** The progress of one piece of work. */
export interface ProgressState {
  done: number;
  total: number | null;
  remark?: string;
}

/** Shows progress lines. Prints nothing without a terminal. */
export interface Progress {
  /** Sets the current state of a task. A new task gets a separate line. */
  update(label: string, state: ProgressState): void;
  /** Lets other output, such as a log line, be written above the progress lines. */
  interrupt(write: () => void): void;
  /** Ends the display. The last state stays on the screen. A second call of `stop` does nothing. */
  stop(): void;
}

export interface ProgressOptions {
  /** The stream of the progress lines, which is always stderr, because stdout is for the result. */
  stream: TextStream & { rows?: number };
  clock: Pick<Clock, 'now'>;
}

/** The shortest interval between updates of the screen. People cannot read faster updates. */
const REDRAW_INTERVAL_MS = 100;

/** The time span for computing the speed. An earlier pause therefore does not affect the speed. */
const RATE_WINDOW_MS = 30_000;

/** The maximum number of samples. Each update of the screen adds one sample. */
const MAX_SAMPLES = RATE_WINDOW_MS / REDRAW_INTERVAL_MS;

/** The shortest time span for a speed. Over a shorter span, the speed would only be a guess. */
const MIN_RATE_SPAN_MS = 1000;

/** If nothing has progressed for this time, no remaining time is shown. */
const STANDSTILL_MS = 5_000;

/** The shortest remaining time that is shown. A shorter time would pass before anyone could read it. */
const MIN_REMAINING_MS = 1_000;

const FALLBACK_SIZE = { columns: 80, rows: 24 };

/** The number of finished items at a certain time. Speeds are computed from samples. */
export interface Sample {
  atMs: number;
  done: number;
}

interface Line {
  state: ProgressState;
  samples: Sample[];
}

export function createProgress({ stream, clock }: ProgressOptions): Progress {
  const lines = new Map<string, Line>();
  let linesShown = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  function update(label: string, state: ProgressState): void {
    if (!stream.isTTY || isStopped) return;
    const samples = lines.get(label)?.samples ?? [];
    lines.set(label, {
      state,
      samples: addSample(samples, { atMs: clock.now(), done: state.done }),
    });
    if (clock.now() - drawnAt >= REDRAW_INTERVAL_MS) draw();
  }

  function interrupt(write: () => void): void {
    clear();
    write();
    if (stream.isTTY && !isStopped) draw();
  }

  function stop(): void {
    if (stream.isTTY && !isStopped) draw();
    isStopped = true;
    linesShown = 0;
  }

  function draw(): void {
    drawnAt = clock.now();
    const { columns, rows } = { ...FALLBACK_SIZE, ...definedSize(stream) };
    // The last row stays free, because a line that has scrolled away cannot be updated.
    const shown = [...lines].slice(0, rows - 1);
    const texts = shown.map(([label, line]) => fitWidth(formatLine(label, line), columns - 1));
    clear();
    stream.write(texts.map((text) => `${text}\n`).join(''));
    linesShown = texts.length;
  }

  function clear(): void {
    if (linesShown > 0) stream.write(`\u001b[${linesShown}A\u001b[0J`);
    linesShown = 0;
  }

  return { update, interrupt, stop };
}

/** Formats a line such as `Enhancing  120 of 400 · 30% · 12/s · about 23 s left · 1,200 credits left`. */
function formatLine(label: string, { state, samples }: Line): string {
  const { done, total, remark } = state;
  const perSecond = ratePerSecond(samples);
  const parts = [
    total === null ? formatCount(done) : `${formatCount(done)} of ${formatCount(total)}`,
  ];
  if (total !== null && total > 0) parts.push(`${Math.floor((100 * done) / total)}%`);
  if (perSecond !== null && perSecond > 0) parts.push(`${formatRate(perSecond)}/s`);
  const remainingMs = isMoving(samples) ? remainingTimeMs(state, perSecond) : null;
  if (remainingMs !== null && remainingMs >= MIN_REMAINING_MS) {
    parts.push(`about ${formatDuration(remainingMs)} left`);
  }
  if (remark) parts.push(remark);
  return plainLine(`${label}: ${parts.join(' · ')}`);
}

/** Adds a sample. One sample per update of the screen is enough. */
export function addSample(samples: readonly Sample[], sample: Sample): Sample[] {
  const before = samples.at(-2);
  const isSoon = before !== undefined && sample.atMs - before.atMs < REDRAW_INTERVAL_MS;
  const kept = isSoon ? samples.slice(0, -1) : samples;
  const recent = kept.filter(({ atMs }) => sample.atMs - atMs <= RATE_WINDOW_MS);
  return [...recent, sample].slice(-MAX_SAMPLES);
}

/** Returns the speed, or null if it is too early to compute it. */
export function ratePerSecond(samples: readonly Sample[]): number | null {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return null;
  const spanMs = last.atMs - first.atMs;
  return spanMs < MIN_RATE_SPAN_MS ? null : ((last.done - first.done) * 1000) / spanMs;
}

/** True if at least one item was finished within the last few seconds. */
function isMoving(samples: readonly Sample[]): boolean {
  const last = samples.at(-1);
  const reached = samples.find(({ done }) => done === last?.done);
  return last !== undefined && reached !== undefined && last.atMs - reached.atMs < STANDSTILL_MS;
}

/** Returns the remaining time, or null if it is unknown. */
function remainingTimeMs(state: ProgressState, perSecond: number | null): number | null {
  if (state.total === null || perSecond === null || perSecond <= 0) return null;
  return (Math.max(0, state.total - state.done) / perSecond) * 1000;
}

function definedSize({ columns, rows }: { columns?: number; rows?: number }) {
  return { ...(columns ? { columns } : {}), ...(rows ? { rows } : {}) };
}
