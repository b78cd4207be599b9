/** Made by `npm run visualize`. Paste it into Stately's editor. */
import { createMachine } from 'xstate';

export const machine = createMachine({
  "id": "activation",
  "initial": "materializing",
  "on": {
    "message.accepted": {
      "guard": "hasOffered",
      "actions": "countAccepted"
    },
    "message.parked": {
      "guard": "hasOffered",
      "actions": "countParked"
    },
    "message.refused": {
      "guard": "hasOffered",
      "actions": "forgetOffered"
    },
    "xstate.done.actor.activation": {
      "guard": "hasChildren",
      "actions": "forgetChild"
    },
    "xstate.error.actor.activation": [
      {
        "guard": "hasChildren",
        "actions": "forgetChild"
      },
      {
        "actions": "ignoreLateChild"
      }
    ]
  },
  "states": {
    "materializing": {
      "initial": "opening",
      "states": {
        "opening": {
          "tags": "receiving",
          "entry": "materialize",
          "on": {
            "message.offered": {
              "guard": "canOffer",
              "actions": "countOffered"
            },
            "message.accepted": {
              "guard": "isOfferedAndWaking",
              "actions": [
                "countAccepted",
                "dropHold"
              ]
            },
            "message.uncertain": {
              "guard": "hasOffered",
              "target": "aborting",
              "actions": [
                "forgetOffered",
                "noteFenced"
              ]
            },
            "activation.materialized": [
              {
                "guard": "isHeldBack",
                "target": "#held",
                "actions": [
                  "countWaitingMail",
                  "announceStarted"
                ]
              },
              {
                "guard": "bringsMail",
                "target": "#running",
                "actions": [
                  "countOpeningMail",
                  "announceStarted"
                ]
              },
              {
                "target": "#resident",
                "actions": [
                  "countOpeningMail",
                  "announceStarted"
                ]
              }
            ],
            "activation.failed": {
              "target": "#released",
              "actions": "noteFailed"
            },
            "interrupt.requested": [
              {
                "guard": "isExternal",
                "target": "aborting",
                "actions": "noteInterrupted"
              },
              {
                "actions": "hold"
              }
            ],
            "delegation.closed": {
              "actions": "closeDelegation"
            },
            "dispose.requested": {
              "target": "aborting",
              "actions": [
                "noteDisposed",
                "noteUnfinished"
              ]
            },
            "fence.lost": {
              "target": "aborting",
              "actions": "noteFenced"
            }
          }
        },
        "aborting": {
          "tags": "ending",
          "entry": [
            "forgetMail",
            "abortMaterialization"
          ],
          "on": {
            "activation.materialized": {
              "target": "#releasing.emptying",
              "actions": "announceStarted"
            },
            "activation.failed": "#released",
            "message.accepted": {
              "guard": "hasOffered",
              "actions": "forgetOffered"
            },
            "message.parked": {
              "guard": "hasOffered",
              "actions": "forgetOffered"
            },
            "message.uncertain": {
              "guard": "hasOffered",
              "actions": [
                "forgetOffered",
                "noteFenced"
              ]
            },
            "fence.lost": {
              "actions": "noteFenced"
            },
            "release.expired": {
              "target": "#released",
              "actions": "noteFailedStep"
            }
          }
        }
      }
    },
    "resident": {
      "id": "resident",
      "initial": "waiting",
      "tags": [
        "receiving",
        "delegating"
      ],
      "on": {
        "message.offered": {
          "guard": "canOffer",
          "actions": "countOffered"
        },
        "message.uncertain": {
          "guard": "hasOffered",
          "target": "#releasing.emptying",
          "actions": [
            "forgetOffered",
            "noteFenced"
          ]
        },
        "message.claimed": {
          "guard": "hasAnyMail",
          "actions": "countClaimed"
        },
        "message.returned": {
          "actions": "countReturned"
        },
        "message.removed": {
          "guard": "hasAnyMail",
          "actions": "countRemoved"
        },
        "child.attached": {
          "guard": "canAttach",
          "actions": "countChild"
        },
        "inbox.closed": {
          "actions": "closeInbox"
        },
        "delegation.closed": {
          "actions": "closeDelegation"
        },
        "dispose.requested": {
          "target": "#releasing.emptying",
          "actions": "noteDisposed"
        },
        "fence.lost": {
          "target": "#releasing.emptying",
          "actions": "noteFenced"
        }
      },
      "states": {
        "waiting": {
          "id": "waiting",
          "initial": "idle",
          "states": {
            "idle": {
              "always": [
                {
                  "guard": "hasMail",
                  "target": "#running"
                },
                {
                  "guard": "canSettle",
                  "target": "#settled"
                }
              ]
            },
            "held": {
              "id": "held",
              "entry": "dropHold",
              "always": {
                "guard": "hasNoMail",
                "target": "idle"
              },
              "on": {
                "message.accepted": {
                  "guard": "isOfferedAndWaking",
                  "target": "#running",
                  "actions": "countAccepted"
                }
              }
            }
          }
        },
        "running": {
          "id": "running",
          "initial": "active",
          "entry": "beginTurn",
          "on": {
            "turn.ended": [
              {
                "guard": "hasMail",
                "target": "#running",
                "reenter": true,
                "actions": "noteOutcome"
              },
              {
                "guard": "canSettle",
                "target": "#settled",
                "actions": "noteOutcome"
              },
              {
                "target": "#waiting",
                "actions": "noteOutcome"
              }
            ],
            "turn.failed": {
              "target": "#releasing.emptying",
              "actions": "noteFailed"
            },
            "message.uncertain": {
              "guard": "hasOffered",
              "target": "#releasing.stopping",
              "actions": [
                "forgetOffered",
                "noteFenced"
              ]
            },
            "dispose.requested": {
              "target": "#releasing.stopping",
              "actions": "noteDisposed"
            },
            "fence.lost": {
              "target": "#releasing.stopping",
              "actions": "noteFenced"
            }
          },
          "states": {
            "active": {
              "on": {
                "interrupt.requested": "interrupting"
              }
            },
            "interrupting": {
              "initial": "quiet",
              "entry": "stopTurn",
              "on": {
                "turn.overdue": {
                  "target": "#releasing.emptying",
                  "actions": "noteOverdue"
                }
              },
              "states": {
                "quiet": {
                  "on": {
                    "message.accepted": {
                      "guard": "isOfferedAndWaking",
                      "target": "woken",
                      "actions": "countAccepted"
                    },
                    "turn.ended": {
                      "target": "#held",
                      "actions": "noteOutcome"
                    }
                  }
                },
                "woken": {
                  "on": {
                    "interrupt.requested": "quiet"
                  }
                }
              }
            }
          }
        },
        "settled": {
          "id": "settled",
          "entry": "seal",
          "on": {
            "message.offered": {
              "guard": "canOffer",
              "target": "waiting",
              "actions": "countOffered"
            },
            "child.attached": {
              "guard": "canAttach",
              "target": "waiting",
              "actions": "countChild"
            },
            "dispose.requested": {
              "actions": "closeAdmission"
            },
            "fence.lost": {
              "target": "#releasing.disposing",
              "actions": "noteFenced"
            },
            "session.sealed": "#releasing.capturing",
            "seal.failed": "#releasing.capturing"
          }
        }
      }
    },
    "releasing": {
      "id": "releasing",
      "initial": "stopping",
      "tags": "ending",
      "entry": [
        "forgetMail",
        "stopChildren"
      ],
      "on": {
        "message.accepted": {
          "guard": "hasOffered",
          "actions": "forgetOffered"
        },
        "message.parked": {
          "guard": "hasOffered",
          "actions": "forgetOffered"
        },
        "message.uncertain": [
          {
            "guard": "hasOffered",
            "actions": [
              "forgetOffered",
              "noteFenced"
            ]
          },
          {
            "actions": "noteFenced"
          }
        ],
        "fence.lost": {
          "actions": "noteFenced"
        }
      },
      "states": {
        "stopping": {
          "entry": "stopTurn",
          "on": {
            "turn.ended": [
              {
                "guard": "canFlush",
                "target": "flushing",
                "actions": "noteLastOutcome"
              },
              {
                "target": "emptying",
                "actions": "noteLastOutcome"
              }
            ],
            "turn.failed": {
              "target": "emptying",
              "actions": "noteFailedStep"
            },
            "turn.overdue": {
              "target": "emptying",
              "actions": "noteOverdue"
            },
            "release.expired": {
              "target": "emptying",
              "actions": [
                "noteOverdue",
                "forgetOffers"
              ]
            }
          }
        },
        "emptying": {
          "always": [
            {
              "guard": "isEmptyAndFenced",
              "target": "disposing"
            },
            {
              "guard": "isEmpty",
              "target": "flushing"
            }
          ],
          "on": {
            "release.expired": {
              "actions": [
                "noteFailedStep",
                "forgetOffers"
              ]
            }
          }
        },
        "flushing": {
          "entry": "flush",
          "on": {
            "session.flushed": [
              {
                "guard": "isFenced",
                "target": "disposing"
              },
              {
                "target": "capturing"
              }
            ],
            "flush.failed": [
              {
                "guard": "isFenced",
                "target": "disposing"
              },
              {
                "target": "capturing"
              }
            ]
          }
        },
        "capturing": {
          "entry": "capture",
          "on": {
            "result.captured": "disposing",
            "capture.failed": {
              "target": "disposing",
              "actions": "noteFailedCapture"
            }
          }
        },
        "disposing": {
          "entry": "disposeResources",
          "exit": [
            "returnCapacity",
            "announceEnded"
          ],
          "on": {
            "resources.disposed": [
              {
                "guard": "isFenced",
                "target": "#released"
              },
              {
                "target": "notifying"
              }
            ],
            "dispose.failed": [
              {
                "guard": "isFenced",
                "target": "#released",
                "actions": "noteFailedStep"
              },
              {
                "target": "notifying",
                "actions": "noteFailedStep"
              }
            ]
          }
        },
        "notifying": {
          "entry": "notify",
          "on": {
            "parent.notified": "#released",
            "notify.failed": "#released"
          }
        }
      }
    },
    "released": {
      "id": "released",
      "type": "final"
    }
  }
});
