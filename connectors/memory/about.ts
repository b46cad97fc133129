import type { AboutCrm } from '../about.ts';

export const aboutMemory: AboutCrm = { kind: 'memory', name: 'Memory' };
