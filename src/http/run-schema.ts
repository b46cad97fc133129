/** A run as openapi.json describes it. */
import { z } from '@hono/zod-openapi';
import { runReportSchema } from '../core/run.ts';

/** The report under its name in openapi.json, which only schemas of this `z` can have. */
export const runSchema = z.object(runReportSchema.shape).openapi('Run');
