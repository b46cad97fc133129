/**
 * Makes a process appear to run on a different host, with a different name and a clock that is ahead (HOST_NAME,
 * HOST_CLOCK_AHEAD_MS). Node loads this file before the program, with `node --import`.
 */
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const { HOST_NAME: name = 'host', HOST_CLOCK_AHEAD_MS: aheadMs = '0' } = process.env;
const now = Date.now;
Date.now = () => now() + Number(aheadMs);
os.hostname = () => name;
syncBuiltinESMExports();
