import type { Stages } from '../run/stage.ts';
import { writeWarmPaths } from './write-warm-paths.ts';

/** What insights do in a run: warm paths are written once the networks are mirrored. */
export const INSIGHT_STAGES: Stages = { before: [], after: [writeWarmPaths] };
