/**
 * The key of a notice is `<child id>:<epoch>`, that of a person's message `request:<request id>`. A child of such a name could have a
 * notice that looks like a message, which would then be taken for one that was delivered before.
 */
export function isReserved(childId: string): boolean {
  return childId === 'request' || childId.startsWith('request:');
}
