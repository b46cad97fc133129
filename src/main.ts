#!/usr/bin/env node
/** The start: settles how much memory the process may take, and only then loads the program. */
import { keepMemoryFlat } from './memory.ts';

keepMemoryFlat(process);
const { runWired } = await import('./wiring.ts');
await runWired();
