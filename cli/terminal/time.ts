const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });

/** Local time as `2026-11-30 14:59:01`. `time` is milliseconds since 1970. */
export function timeText(time: number): string {
  return format.format(time);
}
