import type { AboutCrm } from '../about.ts';

export const aboutCsv: AboutCrm = { kind: 'csv', name: 'CSV file' };
