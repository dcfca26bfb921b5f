"""Every message and enum of the contract, `proto/broadside/v1`: `pb.Turn`, `pb.PHASE_BATTLE`."""

from broadside_arena.v1.abalone_pb2 import *
from broadside_arena.v1.advanced_salvo_pb2 import *
from broadside_arena.v1.agent_pb2 import *
from broadside_arena.v1.amiral_advanced_pb2 import *
from broadside_arena.v1.amiral_pb2 import *
from broadside_arena.v1.catalog_pb2 import *
from broadside_arena.v1.classic_pb2 import *
from broadside_arena.v1.game_pb2 import *
from broadside_arena.v1.match_pb2 import *
from broadside_arena.v1.naumachia_pb2 import *
from broadside_arena.v1.naval_pb2 import *
from broadside_arena.v1.record_pb2 import *
from broadside_arena.v1.salvo_pb2 import *
from broadside_arena.v1.time_control_pb2 import *
