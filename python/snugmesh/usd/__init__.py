from .cast import Cast, load
from .stage import Mesh
