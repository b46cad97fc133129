/**
 * Refuses every connection to a different machine, and records the attempt in a file. Node loads this file before a
 * program (`--import`).
 */
import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';

const { connect } = Socket.prototype;

/** @param {unknown[]} args as `net.connect` takes them, or normalised as it hands them on */
Socket.prototype.connect = function (...args) {
  const [first] = Array.isArray(args[0]) ? args[0] : args;
  const { host, path } = typeof first === 'object' && first !== null ? first : { host: args[1] };
  const isHere = path !== undefined || ['localhost', '127.0.0.1', '::1', undefined].includes(host);
  if (isHere) return connect.apply(this, args);
  appendFileSync(process.env['REFUSED_ADDRESSES'], `${host}\n`);
  queueMicrotask(() => this.destroy(new Error(`No address but this machine is reached: ${host}`)));
  return this;
};
